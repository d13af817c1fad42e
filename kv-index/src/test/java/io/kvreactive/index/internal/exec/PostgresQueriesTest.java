package io.kvreactive.index.internal.exec;

import io.kvreactive.Kv;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.testkit.TestPostgres;
import io.kvreactive.postgres.PostgresOptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests of queries on a PostgreSQL server, each test in a schema of its own: some in the short
 * form, and all in the long form.
 */
class PostgresQueriesTest {
  private static QueryStore store(CollectionDefinition definition, DocumentStoreOptions options) {
    PostgresOptions engine = TestPostgres.options();
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

  /** Those that differ in what they read from the engine. */
  @Nested
  @Tag("short")
  class Some {
    private final IndexGroupsTest groups = new Groups();
    private final SkipScanTest distinct = new Distinct();
    private final ComputedPropertiesTest computed = new Computed();

    @Test
    void groupInTheOrderOfAnIndex() {
      groups.readEntriesAndNoItems(
          "SELECT c.city, COUNT(1) AS n FROM c WHERE c.city > 'city 2' GROUP BY c.city",
          "indexOrder",
          "range:/city/?",
          1400,
          7);
    }

    @Test
    void groupBySkips() {
      groups.readEntriesAndNoItems(
          "SELECT c.country, c.city FROM c GROUP BY c.city, c.country", "skipScan", null, 200, 10);
    }

    @Test
    void endWithTheLastGroupWanted() {
      groups.endWithTheLastGroupWanted();
    }

    @Test
    void skipForwards() {
      distinct.readsFewEntriesAndNoItems(
          "SELECT DISTINCT VALUE c.city FROM c WHERE c.city >= @from ORDER BY c.city",
          "[oslo, tromsø]");
    }

    @Test
    void skipBackwards() {
      distinct.readsFewEntriesAndNoItems(
          "SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city DESC", "[tromsø, oslo, bergen]");
    }

    @Test
    void skipInAnExplicitlyIncludedPath() {
      distinct.readsAnExplicitlyIncludedPath(
          "SELECT DISTINCT VALUE c.city FROM c", "[[\"bergen\"], bergen, oslo, tromsø]", 2);
    }

    @Test
    void readDistinctValuesInLargeParts() {
      distinct.readsDistinctValuesInLargeParts();
    }

    @Test
    void continueAfterTheLastValue() {
      distinct.continuesAfterTheLastValue();
    }

    @Test
    void ignoreValuesOfExpiredItems() {
      distinct.ignoresValuesOfExpiredItems();
    }

    @Test
    void findComputedPropertiesInAllClauses() {
      computed.areFoundInAllClauses();
    }

    @Test
    void searchTextsOfComputedProperties() {
      computed.serveTextSearchesByIndexScans();
    }

    @Test
    void watchComputedProperties() {
      computed.areWatched();
    }
  }
}
