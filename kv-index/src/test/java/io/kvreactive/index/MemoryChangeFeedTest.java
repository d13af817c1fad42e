package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryChangeFeedTest extends ChangeFeedContract {
  @Override
  TestStore open() {
    return TestStore.withOldValues();
  }
}
