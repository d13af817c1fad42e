package io.kvreactive.index.internal.exec;

import io.kvreactive.Kv;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Tests of queries on a PostgreSQL server, each test in a schema of its own. */
class PostgresQueriesTest {
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static QueryStore store(CollectionDefinition definition, DocumentStoreOptions options) {
    String url = "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
    PostgresOptions engine = PostgresOptions.at(url).withSchema("q" + UUID.randomUUID());
    return new QueryStore(definition, options, vertx -> Kv.open(vertx, engine));
  }

  @Nested
  class Groups extends IndexGroupsTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }

  @Nested
  class Distinct extends SkipScanTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }

  @Nested
  class Computed extends ComputedPropertiesTest {
    @Override
    QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
      return store(definition, options);
    }
  }
}
