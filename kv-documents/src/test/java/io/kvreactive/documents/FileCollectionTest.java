package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileCollectionTest extends CollectionContract {
  @TempDir private Path directory;

  @Override
  TestStore open() {
    return TestStore.at(directory);
  }
}
