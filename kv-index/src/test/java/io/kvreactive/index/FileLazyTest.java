package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileLazyTest extends LazyContract {
  @TempDir private Path directory;

  @Override
  TestStore open() {
    return TestStore.at(directory);
  }
}
