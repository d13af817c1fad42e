package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import org.junit.jupiter.api.Nested;

/** The contracts of collections, over a connection to a server. */
class RemoteCollectionTest {
  /** Connects to a server of a store. The server ends with the Vert.x of the store. */
  private static DocumentStore connected(TestStore store) {
    return new DocumentServer(store).connect();
  }

  @Nested
  class Items extends CollectionContract {
    @Override
    TestStore open() {
      return TestStore.at(null);
    }

    @Override
    DocumentStore documents(TestStore store) {
      return connected(store);
    }
  }

  @Nested
  class Batches extends BatchContract {
    @Override
    TestStore open() {
      return TestStore.at(null);
    }

    @Override
    DocumentStore documents(TestStore store, DocumentStoreOptions options) {
      return connected(store);
    }
  }

  @Nested
  class Partitions extends PartitionContract {
    @Override
    TestStore open() {
      return TestStore.at(null);
    }

    @Override
    DocumentStore documents(TestStore store) {
      return connected(store);
    }
  }

  @Nested
  class Changes extends ChangeFeedContract {
    @Override
    TestStore open() {
      return TestStore.withOldValues();
    }

    @Override
    DocumentStore documents(TestStore store) {
      return connected(store);
    }
  }
}
