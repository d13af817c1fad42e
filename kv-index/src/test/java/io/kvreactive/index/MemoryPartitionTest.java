package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryPartitionTest extends PartitionContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
