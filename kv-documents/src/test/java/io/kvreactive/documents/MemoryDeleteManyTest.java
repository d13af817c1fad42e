package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryDeleteManyTest extends DeleteManyContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
