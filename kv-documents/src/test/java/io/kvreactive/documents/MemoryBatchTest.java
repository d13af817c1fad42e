package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryBatchTest extends BatchContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
