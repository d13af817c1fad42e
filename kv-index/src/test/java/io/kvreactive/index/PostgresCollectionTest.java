package io.kvreactive.index;

import io.kvreactive.index.testkit.TestStore;
import io.kvreactive.postgres.PostgresOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The contracts of collections on a PostgreSQL server, each test in a schema of its own. */
class PostgresCollectionTest {
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static TestStore store() {
    String url = "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
    return TestStore.of(PostgresOptions.at(url).withSchema("t" + UUID.randomUUID()));
  }

  @Nested
  class Items extends CollectionContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Transformations extends TransformationContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Lazy extends LazyContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Changes extends ChangeFeedContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Processors extends ChangeProcessorContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Batches extends BatchContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Partitions extends PartitionContract {
    @Override
    TestStore open() {
      return store();
    }
  }
}
