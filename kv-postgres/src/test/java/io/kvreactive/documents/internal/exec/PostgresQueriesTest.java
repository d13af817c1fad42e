package io.kvreactive.documents.internal.exec;

import io.kvreactive.Kv;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.TestServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests of queries on a PostgreSQL server, each test in a schema of its own: some in the short
 * form, and all in the long form.
 */
class PostgresQueriesTest {
  private static QueryStore store(CollectionDefinition definition, DocumentStoreOptions options) {
    PostgresOptions engine = TestServer.options();
    return new QueryStore(definition, options, vertx -> Kv.open(vertx, engine));
  }

  @Nested
  @Tag("long")
  class Groups extends IndexGroupsTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }

  @Nested
  @Tag("long")
  class Distinct extends SkipScanTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }

  @Nested
  @Tag("long")
  class Computed extends ComputedPropertiesTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }

  /** Those that differ in what they read from the engine: forwards, backwards, and followed. */
  @Nested
  @Tag("short")
  class Some {
    @Test
    void groupInTheOrderOfAnIndex() {
      new Groups()
          .readEntriesAndNoItems(
              "SELECT c.city, COUNT(1) AS n FROM c WHERE c.city > 'city 2' GROUP BY c.city",
              "indexOrder",
              "range:/city/?",
              1400,
              7);
    }

    @Test
    void skipBackwards() {
      Distinct distinct = new Distinct();
      distinct.readsFewEntriesAndNoItems(
          "SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city DESC", "[tromsø, oslo, bergen]");
      distinct.close();
    }

    @Test
    void watchComputedProperties() {
      new Computed().areWatched();
    }
  }
}
