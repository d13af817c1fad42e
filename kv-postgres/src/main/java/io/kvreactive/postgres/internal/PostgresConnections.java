package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.internal.KnownHead.StaleServerException;
import io.kvreactive.postgres.internal.ServerCluster.Opened;
import io.kvreactive.postgres.internal.ServerCluster.Place;
import io.kvreactive.postgres.internal.ServerCluster.Primary;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The connections of an engine to the primary of a cluster: single ones, and those of a pool that
 * engines share. Searches for the primary again whenever a connection has failed. Thread-safe.
 */
final class PostgresConnections {
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final Vertx vertx;
  private final PostgresOptions options;
  private final ServerCluster cluster;
  private final AtomicReference<@Nullable Future<Void>> search = new AtomicReference<>();
  private volatile @Nullable Place checked; // where this engine may read
  private volatile @Nullable KnownHead known;
  private volatile @Nullable FailoverCheck check;
  private final AtomicBoolean closed = new AtomicBoolean();

  PostgresConnections(Vertx vertx, PostgresOptions options) {
    this.vertx = vertx;
    this.options = options;
    this.cluster = ServerCluster.of(vertx, options);
  }

  /** Checks all connections that are made from now on for lost commits. */
  void check(KnownHead head, FailoverCheck failovers) {
    known = head;
    check = failovers;
  }

  /**
   * Connects to the primary, which is the first host that is not a standby. Fails with IO_FAILED if
   * it has lost commits.
   */
  Future<ServerConnection> connect() {
    Primary last = cluster.primary();
    return connect(last == null ? 0 : last.host(), options.hosts().size());
  }

  private Future<ServerConnection> connect(int host, int left) {
    return cluster
        .open(host)
        .compose(opened -> checked(opened, host))
        .recover(
            failure ->
                left > 1 && PgFailure.isOfConnection(failure)
                    ? connect((host + 1) % options.hosts().size(), left - 1)
                    : Future.failedFuture(failure));
  }

  private Future<ServerConnection> checked(Opened opened, int host) {
    return ServerConnection.timed(vertx, check(opened, host), options.connectTimeout().toMillis())
        .map(opened.connection())
        .onFailure(failure -> opened.connection().close());
  }

  private Future<Void> check(Opened opened, int host) {
    Place place = opened.place();
    if (place == null) {
      return Future.failedFuture(
          new StaleServerException(options.hosts().get(host) + " is a standby"));
    }
    Primary last = cluster.primary();
    if (last != null && place.isBefore(last.place())) {
      return Future.failedFuture(
          new StaleServerException(
              "%s is a former primary: timeline %d (expected: at least %d)"
                  .formatted(
                      options.hosts().get(host), place.timeline(), last.place().timeline())));
    }
    FailoverCheck failovers = check;
    return (failovers == null
            ? Future.<Void>succeededFuture()
            : failovers.check(opened.connection().sql(), place))
        .onSuccess(
            done -> {
              checked = place;
              cluster.use(host, place, false);
            });
  }

  /** Returns the place of the server that was last connected to. */
  Place place() {
    return Objects.requireNonNull(checked, "not connected");
  }

  /**
   * Returns a future that fails with a TimeoutException if the server does not answer within the
   * request timeout. This is also the maximum time of a statement.
   */
  <T> Future<T> timed(Future<T> answer) {
    return cluster.timed(answer);
  }

  /**
   * Executes a statement on a connection of the pool. Made again, for as long as a request may
   * take, when the connection fails; so the statement must be one that can be repeated.
   */
  Future<RowSet<Row>> execute(String sql, Tuple parameters) {
    return execute(sql, parameters, rows -> {});
  }

  /**
   * The same, with a check of the answer.
   *
   * @param check throws a {@link StaleServerException} if the server does not know enough,
   *     whereupon the primary is looked for
   */
  Future<RowSet<Row>> execute(String sql, Tuple parameters, Consumer<RowSet<Row>> check) {
    return repeated(
        attempt ->
            once(sql, parameters)
                .map(
                    rows -> {
                      check.accept(rows);
                      return rows;
                    }));
  }

  /** Executes a statement on a connection of the pool, once. */
  Future<RowSet<Row>> once(String sql, Tuple parameters) {
    KnownHead head = known;
    Primary server = cluster.primary();
    if (server == null || closed.get()) {
      return Future.failedFuture(closed());
    }
    if (head != null) {
      try {
        head.checkAccepted();
      } catch (KvException refused) {
        return Future.failedFuture(refused);
      }
    }
    if (!server.place().equals(checked)) {
      return Future.failedFuture(new StaleServerException("another primary, not checked yet"));
    }
    return server
        .pool()
        .call(
            connection -> connection.preparedQuery(sql).execute(parameters),
            cluster.statementMillis());
  }

  /**
   * Makes a call again when a connection fails, for as long as a request may take.
   *
   * @param call receives the number of the attempt, from 1
   */
  <T> Future<T> repeated(IntFunction<Future<T>> call) {
    long deadline = System.nanoTime() + options.requestTimeout().toNanos();
    return repeated(call, 1, deadline, FIRST_PAUSE_MILLIS);
  }

  private <T> Future<T> repeated(
      IntFunction<Future<T>> call, int attempt, long deadline, long pauseMillis) {
    return call.apply(attempt)
        .recover(
            failure -> {
              boolean late =
                  System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis) > deadline;
              if (late || closed.get() || !PgFailure.isTransient(failure)) {
                return Future.failedFuture(PgFailure.shown(failure));
              }
              long longer = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
              return vertx
                  .timer(pauseMillis, TimeUnit.MILLISECONDS)
                  .compose(fired -> findPrimary(failure))
                  .compose(found -> repeated(call, attempt + 1, deadline, longer));
            });
  }

  /** Looks for the primary after a failed call. Calls that fail together share one search. */
  private Future<Void> findPrimary(Throwable failure) {
    if (!PgFailure.isOfConnection(failure)) {
      return Future.succeededFuture();
    }
    Promise<Void> own = Promise.promise();
    Future<Void> running = search.compareAndExchange(null, own.future());
    if (running != null) {
      return running;
    }
    connect()
        .compose(
            connection -> {
              Primary found = cluster.primary();
              if (failure instanceof TimeoutException && found != null) {
                cluster.use(found.host(), found.place(), true); // connections may be stuck
              }
              return connection.close();
            })
        .recover(
            unfound ->
                unfound instanceof KvException
                    ? Future.failedFuture(unfound)
                    : Future.succeededFuture())
        .onComplete(
            result -> {
              search.set(null);
              own.handle(result);
            });
    return own.future();
  }

  /** Ends the use of the pool. Calls fail with CLOSED. */
  Future<Void> close() {
    return closed.compareAndSet(false, true) ? cluster.release() : Future.succeededFuture();
  }

  static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }
}
