package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryLazyTest extends LazyContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
