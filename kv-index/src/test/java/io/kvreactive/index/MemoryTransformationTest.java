package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;

class MemoryTransformationTest extends TransformationContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }
}
