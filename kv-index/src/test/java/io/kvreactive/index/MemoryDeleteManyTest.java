package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryDeleteManyTest extends DeleteManyContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
