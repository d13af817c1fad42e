package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
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
