package io.kvreactive.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * A PostgreSQL server for all tests of a JVM. Its URL is the system property {@value #URL}; a test
 * run with that property uses a server that is already there. Tests share the server and have
 * schemas of their own. The server does not sync and has no maintenance of its own, so it is no
 * server to measure.
 */
public final class TestServer implements LauncherSessionListener {
  /** Name of the system property with the URL of the server. */
  public static final String URL = "kvreactive.test.postgres";

  private EmbeddedPostgres server;

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    if (System.getProperty(URL) != null) {
      return; // an existing server
    }
    try {
      server =
          EmbeddedPostgres.builder()
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
    System.setProperty(URL, "postgresql://postgres@localhost:" + server.getPort() + "/postgres");
  }

  @Override
  public void launcherSessionClosed(LauncherSession session) {
    if (server != null) {
      System.clearProperty(URL);
      try {
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
