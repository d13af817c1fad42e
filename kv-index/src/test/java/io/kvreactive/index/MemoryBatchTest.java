package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryBatchTest extends BatchContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
