package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

class FileBulkLoadTest extends BulkLoadContract {
  @TempDir static Path directory;

  @Override
  TestStore open() {
    return TestStore.at(directory.resolve(UUID.randomUUID().toString()));
  }
}
