package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;

class MemoryTransformationTest extends TransformationContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
