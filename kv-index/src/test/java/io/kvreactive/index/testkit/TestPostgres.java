package io.kvreactive.index.testkit;

import io.kvreactive.postgres.PostgresOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/**
 * A PostgreSQL server for all tests of a JVM, started by the first of them and stopped when the JVM
 * ends. Tests share the server and have schemas of their own. The server does not sync and has no
 * maintenance of its own.
 */
public final class TestPostgres {
  private TestPostgres() {}

  /** Returns the URL of a store in a new schema. */
  public static String url() {
    return "postgresql://postgres@localhost:"
        + Server.STARTED.getPort()
        + "/postgres?schema=t"
        + UUID.randomUUID();
  }

  /**
   * Returns options of a store in a new schema. A connection costs more time than many a test, so
   * there are few of them, and none that only asks for TLS.
   */
  public static PostgresOptions options() {
    return PostgresOptions.at(url()).withTls(PostgresOptions.Tls.DISABLE).withReadConnections(2);
  }

  private static final class Server {
    static final EmbeddedPostgres STARTED = start(); // a shutdown hook of its own stops it

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("full_page_writes", "off")
            .setServerConfig("wal_level", "minimal")
            .setServerConfig("max_wal_senders", "0")
            .setServerConfig("autovacuum", "off")
            .setServerConfig("jit", "off")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
