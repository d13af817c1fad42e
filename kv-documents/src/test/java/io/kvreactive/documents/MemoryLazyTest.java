package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryLazyTest extends LazyContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
