package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.postgres.TestServer;
import org.junit.jupiter.api.Test;

/** Pages of queries that combine rows, on a PostgreSQL server. */
class PostgresCombinedPagesTest {
  @Test
  void continueHeldDroppedAndLostResults() {
    CombinedPagesTest pages =
        new CombinedPagesTest() {
          @Override
          TestStore openStore() {
            return TestStore.of(TestServer.options());
          }
        };
    try {
      pages.readsLaterPagesFromTheHeldResult();
      pages.drop();
      pages.servesNoHeldRowsOfADroppedCollection();
      pages.drop();
      pages.continuesAfterTheLastGroupIfTheResultIsNotHeldAnyMore();
    } finally {
      pages.end();
    }
  }
}
