package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryCollectionTest extends CollectionContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
