package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryCollectionTest extends CollectionContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
