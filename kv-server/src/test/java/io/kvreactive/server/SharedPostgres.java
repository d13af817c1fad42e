package io.kvreactive.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A PostgreSQL server for all tests of a JVM, started by the first of them and stopped when the JVM
 * ends.
 */
final class SharedPostgres {
  private static final EmbeddedPostgres STARTED = start(); // a shutdown hook of its own stops it
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private SharedPostgres() {}

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the URL of a store in a new schema. */
  static String url() {
    return "postgresql://postgres@localhost:%d/postgres?schema=t%d"
        .formatted(STARTED.getPort(), SCHEMAS.incrementAndGet());
  }
}
