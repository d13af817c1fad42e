package io.kvreactive.bench.compare;

import io.kvreactive.bench.Data;
import io.kvreactive.bench.Loop;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * The upper bound of durable sets in PostgreSQL: a PL/pgSQL function per group that counts a
 * version up, upserts the entries and logs them, called over one connection, one call at a time.
 */
final class RawCalls implements AutoCloseable {
  private static final String SCHEMA =
      """
      SET client_min_messages = warning;
      DROP SCHEMA IF EXISTS raw CASCADE;
      CREATE SCHEMA raw;
      CREATE TABLE raw.head (id int PRIMARY KEY, version bigint NOT NULL) WITH (fillfactor = 10);
      INSERT INTO raw.head VALUES (1, 0);
      CREATE TABLE raw.entry (key bytea PRIMARY KEY, version bigint NOT NULL, value bytea NOT NULL);
      CREATE TABLE raw.log (version bigint, n bigint, key bytea, PRIMARY KEY (version, n));
      CREATE FUNCTION raw.set(keys bytea[], vals bytea[]) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE v bigint;
      BEGIN
        UPDATE raw.head SET version = version + 1 WHERE id = 1 RETURNING version INTO v;
        INSERT INTO raw.entry SELECT k, v, x FROM unnest(keys, vals) u(k, x)
          ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value;
        INSERT INTO raw.log SELECT v, n, k FROM unnest(keys) WITH ORDINALITY u(k, n);
        RETURN v;
      END $$;
      """;

  private final Vertx vertx = Vertx.vertx();
  private final PgConnection connection;

  RawCalls(PostgresOptions options) {
    PostgresOptions.Host host = options.hosts().get(0);
    connection =
        PgConnection.connect(
                vertx,
                new PgConnectOptions()
                    .setHost(host.name())
                    .setPort(host.port())
                    .setUser(options.user())
                    .setDatabase(options.database())
                    .setCachePreparedStatements(true))
            .await();
    connection.query(SCHEMA).execute().await();
  }

  /** Returns the sets per second in groups of a size. */
  double rate(int group, Loop loop) {
    Buffer value = Buffer.buffer(Data.value());
    Buffer[] values = IntStream.range(0, group).mapToObj(i -> value).toArray(Buffer[]::new);
    double calls =
        loop.rate(
            1,
            call -> {
              Buffer[] keys =
                  IntStream.range(0, group)
                      .mapToObj(i -> Buffer.buffer(Data.key("raw", call * group + i).bytes()))
                      .toArray(Buffer[]::new);
              return Mono.fromCompletionStage(
                  () ->
                      connection
                          .preparedQuery("SELECT raw.set($1, $2)")
                          .execute(Tuple.tuple().addValue(keys).addValue(values))
                          .toCompletionStage());
            });
    return calls * group;
  }

  @Override
  public void close() {
    connection.close().await();
    vertx.close().await();
  }
}
