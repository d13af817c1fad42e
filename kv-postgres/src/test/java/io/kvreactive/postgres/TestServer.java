package io.kvreactive.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/**
 * A PostgreSQL server for all tests of a JVM, started by the first of them and stopped when the JVM
 * ends; a test run with the system property {@value #URL} uses the server of that URL. Tests share
 * the server and have schemas of their own. The server does not sync and has no maintenance of its
 * own, so it is no server to measure.
 */
public final class TestServer {
  private static final String URL = "kvreactive.test.postgres";

  private TestServer() {}

  /** Returns the URL of the server, without a schema. */
  public static String url() {
    String existing = System.getProperty(URL);
    return existing != null
        ? existing
        : "postgresql://postgres@localhost:" + Server.STARTED.getPort() + "/postgres";
  }

  /**
   * Returns options of a store in a schema. A connection costs more time than a test, so there are
   * few of them, and none that only asks for TLS.
   */
  public static PostgresOptions options(String schema) {
    return PostgresOptions.at(url())
        .withSchema(schema)
        .withTls(PostgresOptions.Tls.DISABLE)
        .withReadConnections(2);
  }

  /** Returns options of a store in a new schema. */
  public static PostgresOptions options() {
    return options("t" + UUID.randomUUID());
  }

  private static final class Server {
    static final EmbeddedPostgres STARTED = start(); // a shutdown hook of its own stops it

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "200")
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
