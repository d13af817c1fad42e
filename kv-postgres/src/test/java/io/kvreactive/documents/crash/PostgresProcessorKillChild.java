package io.kvreactive.documents.crash;

import io.kvreactive.Kv;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;

/** {@link ChangeProcessorKillChild} on a PostgreSQL server. */
final class PostgresProcessorKillChild {
  private PostgresProcessorKillChild() {}

  public static void main(String[] args) {
    PostgresOptions options = PostgresOptions.at(args[0]).withSchema(args[1]);
    ChangeProcessorKillChild.run(Kv.open(Vertx.vertx(), options).block(), 0);
  }
}
