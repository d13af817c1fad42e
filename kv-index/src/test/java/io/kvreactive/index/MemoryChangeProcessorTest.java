package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryChangeProcessorTest extends ChangeProcessorContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
