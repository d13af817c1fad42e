package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryBulkLoadTest extends BulkLoadContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
