package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryBulkLoadTest extends BulkLoadContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
