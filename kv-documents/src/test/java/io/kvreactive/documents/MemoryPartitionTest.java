package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryPartitionTest extends PartitionContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
