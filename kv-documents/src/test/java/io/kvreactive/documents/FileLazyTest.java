package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileLazyTest extends LazyContract {
  @TempDir private Path directory;

  @Override
  TestStore open() {
    return TestStore.at(directory);
  }
}
