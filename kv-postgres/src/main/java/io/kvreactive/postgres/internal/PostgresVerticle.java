package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The event loop of an engine. Creates the schema or brings it up to date when it starts. The
 * engine is closed if the verticle is undeployed or its Vert.x is closed.
 */
public final class PostgresVerticle extends VerticleBase {
  private static final long RETRY_MILLIS = 100;

  /** Reads the catalog itself: functions such as to_regclass may answer from a stale cache. */
  private static final String FIND_SCHEMA =
      """
      SELECT count(*) > 0, count(c.oid) > 0
      FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'format'
      WHERE n.nspname = $1
      """;

  private static final int MAX_STORES = 10_000;

  private static final String FIND_STORES =
      """
      SELECT n.nspname
      FROM pg_namespace n
        JOIN pg_class f ON f.relnamespace = n.oid AND f.relname = 'format'
        JOIN pg_class h ON h.relnamespace = n.oid AND h.relname = 'head'
        JOIN pg_class e ON e.relnamespace = n.oid AND e.relname = 'entry'
      ORDER BY n.nspname COLLATE "C" LIMIT $1
      """;

  private final PostgresOptions options;
  private final PostgresSql sql;
  private @Nullable PostgresEngine engine;

  private PostgresVerticle(PostgresOptions options) {
    this.options = options;
    this.sql = new PostgresSql(options.schema());
  }

  /** Deploys an engine. Emits it when its schema is ready. */
  public static Mono<KvEngine> open(Vertx vertx, PostgresOptions options) {
    return Mono.<KvEngine>create(
            sink -> {
              PostgresVerticle verticle = new PostgresVerticle(options);
              vertx
                  .deployVerticle(verticle)
                  .map(id -> (KvEngine) verticle.started())
                  .onComplete(sink::success, sink::error);
            })
        .doOnDiscard(KvEngine.class, unwanted -> unwanted.close().subscribe())
        .onErrorMap(PgFailure::shown);
  }

  /** Emits true if the schema has the tables of a store. */
  public static Mono<Boolean> exists(Vertx vertx, PostgresOptions options) {
    return once(vertx, options, FIND_SCHEMA, Tuple.of(options.schema()))
        .map(rows -> rows.iterator().next().getBoolean(1));
  }

  /** Emits the schemas that have the tables of a store, in order. */
  public static Mono<List<String>> schemas(Vertx vertx, PostgresOptions options) {
    return once(vertx, options, FIND_STORES, Tuple.of(MAX_STORES))
        .map(
            rows -> {
              List<String> schemas = new ArrayList<>();
              rows.forEach(row -> schemas.add(row.getString(0)));
              return schemas;
            });
  }

  /** Executes a query on a separate connection. */
  private static Mono<RowSet<Row>> once(
      Vertx vertx, PostgresOptions options, String sql, Tuple parameters) {
    return Mono.<RowSet<Row>>create(
            sink -> {
              PostgresConnections database = new PostgresConnections(vertx, options);
              database
                  .connect()
                  .compose(
                      connection ->
                          database
                              .timed(connection.sql().preparedQuery(sql).execute(parameters))
                              .eventually(connection::close))
                  .eventually(database::close)
                  .onComplete(sink::success, sink::error);
            })
        .onErrorMap(PgFailure::shown);
  }

  private PostgresEngine started() {
    if (engine == null) {
      throw new IllegalStateException("not started");
    }
    return engine;
  }

  @Override
  public Future<?> start() {
    PostgresConnections database = new PostgresConnections(vertx, options);
    DatabaseClock clock = new DatabaseClock();
    return prepared(
            database,
            connection -> FailoverCheck.open(connection, sql, database.place(), clock),
            deadline())
        .map(known -> start(database, known, clock))
        .onFailure(failure -> database.close());
  }

  private long deadline() {
    return System.nanoTime() + options.connectTimeout().toNanos();
  }

  private PostgresEngine start(PostgresConnections database, KnownHead known, DatabaseClock clock) {
    Context own = context;
    Mono<Void> release =
        Mono.create(
            sink ->
                vertx
                    .undeploy(own.deploymentID())
                    .onComplete(done -> sink.success(), undeployed -> sink.success()));
    database.check(known, new FailoverCheck(sql, known));
    PostgresEngine started = new PostgresEngine(own, database, sql, options, known, clock, release);
    engine = started;
    started.start();
    return started;
  }

  /**
   * Accepts that the store has lost commits. Emits the versionstamp of the newest commit that is
   * left.
   */
  public static Mono<Versionstamp> acceptLostCommits(Vertx vertx, PostgresOptions options) {
    return Mono.<Versionstamp>create(
            sink -> {
              PostgresVerticle own = new PostgresVerticle(options);
              own.init(vertx, vertx.getOrCreateContext());
              PostgresConnections database = new PostgresConnections(vertx, options);
              own.prepared(
                      database,
                      connection -> FailoverCheck.accept(connection, own.sql, database.place()),
                      own.deadline())
                  .map(Versionstamp::of)
                  .eventually(database::close)
                  .onComplete(sink::success, sink::error);
            })
        .onErrorMap(PgFailure::shown);
  }

  /**
   * Creates or upgrades the schema, then runs a function on the same connection and returns its
   * result.
   */
  private <T> Future<T> prepared(
      PostgresConnections database, Function<PgConnection, Future<T>> then, long deadline) {
    return database
        .connect()
        .compose(
            connection ->
                database
                    .timed(upgraded(connection.sql()).compose(done -> then.apply(connection.sql())))
                    .eventually(connection::close))
        .recover(
            failure -> {
              boolean late =
                  System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS) > deadline;
              return late || !PgFailure.isTransient(failure)
                  ? Future.failedFuture(PgFailure.shown(failure))
                  : vertx
                      .timer(RETRY_MILLIS, TimeUnit.MILLISECONDS)
                      .compose(fired -> prepared(database, then, deadline));
            });
  }

  private Future<Void> upgraded(PgConnection connection) {
    return format(connection)
        .compose(
            format -> {
              if (format == PostgresSql.FORMAT) {
                return Future.succeededFuture();
              }
              return connection
                  .query("BEGIN ISOLATION LEVEL READ COMMITTED")
                  .execute()
                  .compose(
                      begun ->
                          connection
                              .preparedQuery(
                                  "SELECT pg_advisory_xact_lock(hashtextextended($1, 1))")
                              .execute(Tuple.of(sql.schema)))
                  .compose(locked -> format(connection)) // another engine may have been first
                  .compose(current -> upgrade(connection, current))
                  .compose(done -> connection.query("COMMIT").execute())
                  .mapEmpty();
            });
  }

  private Future<Void> upgrade(PgConnection connection, int from) {
    Future<Void> all = Future.succeededFuture();
    for (int format = from + 1; format <= PostgresSql.FORMAT; format++) {
      String script = sql.upgrade(format);
      all = all.compose(done -> connection.query(script).execute().mapEmpty());
    }
    return all;
  }

  /** Emits the version of the schema; 0 for an empty one, and -1 if there is none. */
  private Future<Integer> format(PgConnection connection) {
    return connection
        .preparedQuery(FIND_SCHEMA)
        .execute(Tuple.of(options.schema()))
        .compose(
            rows -> {
              Row row = rows.iterator().next();
              if (!row.getBoolean(0)) {
                return Future.succeededFuture(-1);
              }
              return !row.getBoolean(1)
                  ? Future.succeededFuture(0)
                  : connection
                      .query(sql.of("SELECT version FROM ${s}.format"))
                      .execute()
                      .map(found -> found.iterator().next().getInteger(0));
            })
        .map(
            format -> {
              if (format > PostgresSql.FORMAT) {
                throw new KvException(
                    KvErrorCode.CORRUPT,
                    "schema %s of version %d (expected: at most %d)"
                        .formatted(sql.schema, format, PostgresSql.FORMAT));
              }
              return format;
            });
  }

  @Override
  public Future<?> stop() {
    PostgresEngine running = engine;
    return running == null ? Future.succeededFuture() : running.end();
  }
}
