package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.PostgresOptions.Host;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Connections to the primary of a cluster: single ones, and a pool for reads. Looks for the primary
 * anew whenever a connection has failed. Thread-safe.
 */
final class PostgresConnections {
  /** Reads that wait for a connection. */
  private static final int MAX_WAITING = 100_000;

  private static final int MAX_STATEMENT_CHARS = 8192;
  private static final long MAX_IDLE_IN_TRANSACTION_MILLIS = 5000;

  /** The time after which a statement has no answer although the server must have ended it. */
  private static final long GRACE_MILLIS = 1000;

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final Vertx vertx;
  private final PostgresOptions options;
  private final Pool pool;
  private volatile int primary; // index of the host

  PostgresConnections(Vertx vertx, PostgresOptions options) {
    this.vertx = vertx;
    this.options = options;
    this.pool =
        PgBuilder.pool()
            .with(
                new PoolOptions()
                    .setMaxSize(options.readConnections())
                    .setMaxWaitQueueSize(MAX_WAITING)
                    .setConnectionTimeout((int) options.requestTimeout().toMillis())
                    .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
            .connectingTo(
                () -> Future.succeededFuture(connectOptions(options.hosts().get(primary))))
            .using(vertx)
            .build();
  }

  private PgConnectOptions connectOptions(Host host) {
    PgConnectOptions connect =
        new PgConnectOptions()
            .setHost(host.name())
            .setPort(host.port())
            .setUser(options.user())
            .setDatabase(options.database())
            .setCachePreparedStatements(true)
            .setPreparedStatementCacheSqlLimit(MAX_STATEMENT_CHARS)
            .setSslMode(sslMode())
            .addProperty("application_name", "kv-reactive")
            .addProperty("statement_timeout", String.valueOf(options.requestTimeout().toMillis()))
            // a process that stands still must not keep the lock of the head
            .addProperty(
                "idle_in_transaction_session_timeout",
                String.valueOf(MAX_IDLE_IN_TRANSACTION_MILLIS))
            .addProperty("lock_timeout", String.valueOf(options.requestTimeout().toMillis()))
            // plans that use the indexes, whatever the statistics say
            .addProperty("plan_cache_mode", "force_generic_plan")
            .addProperty("enable_seqscan", "off")
            .addProperty("enable_bitmapscan", "off")
            .addProperty("enable_hashjoin", "off")
            .addProperty("enable_mergejoin", "off")
            .addProperty("jit", "off");
    if (options.password() != null) {
      connect.setPassword(options.password());
    }
    if (options.tls() != PostgresOptions.Tls.DISABLE) {
      connect.setSslOptions(sslOptions());
    }
    return connect;
  }

  private SslMode sslMode() {
    return switch (options.tls()) {
      case DISABLE -> SslMode.DISABLE;
      case PREFER -> SslMode.PREFER;
      case REQUIRE -> SslMode.REQUIRE;
      case VERIFY_FULL -> SslMode.VERIFY_FULL;
    };
  }

  private ClientSSLOptions sslOptions() {
    ClientSSLOptions ssl = new ClientSSLOptions();
    if (options.tls() != PostgresOptions.Tls.VERIFY_FULL) {
      return ssl.setTrustAll(true);
    }
    ssl.setHostnameVerificationAlgorithm("HTTPS");
    Path certificate = options.rootCertificate();
    return certificate == null
        ? ssl
        : ssl.setTrustOptions(new PemTrustOptions().addCertPath(certificate.toString()));
  }

  /** Connects to the primary, which is the first host that is not a standby. */
  Future<PgConnection> connect() {
    return connect(primary, options.hosts().size());
  }

  private Future<PgConnection> connect(int host, int left) {
    return connectTo(host)
        .recover(
            failure ->
                left > 1 && PgFailure.isOfConnection(failure)
                    ? connect((host + 1) % options.hosts().size(), left - 1)
                    : Future.failedFuture(failure));
  }

  private Future<PgConnection> connectTo(int host) {
    Future<PgConnection> connecting =
        PgConnection.connect(vertx, connectOptions(options.hosts().get(host)));
    long millis = options.connectTimeout().toMillis();
    return timed(connecting, millis)
        .onFailure(failure -> connecting.onSuccess(PgConnection::close))
        .compose(
            connection ->
                timed(connection.query("SELECT pg_is_in_recovery()").execute(), millis)
                    .compose(
                        rows -> {
                          if (rows.iterator().next().getBoolean(0)) {
                            return Future.failedFuture(
                                new TimeoutException(options.hosts().get(host) + " is a standby"));
                          }
                          primary = host;
                          return Future.succeededFuture(connection);
                        })
                    .onFailure(failure -> connection.close()));
  }

  /**
   * Returns a future that fails with a TimeoutException if the server does not answer in the time
   * of a request, which is also the longest time of a statement.
   */
  <T> Future<T> timed(Future<T> answer) {
    return timed(answer, options.requestTimeout().toMillis() + GRACE_MILLIS);
  }

  private <T> Future<T> timed(Future<T> answer, long millis) {
    Promise<T> promise = Promise.promise();
    long timer =
        vertx.setTimer(
            millis,
            fired -> promise.tryFail(new TimeoutException("no answer in " + millis + " ms")));
    answer.onComplete(
        result -> {
          vertx.cancelTimer(timer);
          promise.tryComplete(result);
        },
        failure -> {
          vertx.cancelTimer(timer);
          promise.tryFail(failure);
        });
    return promise.future();
  }

  /**
   * Executes a statement on a connection of the pool. Made again, for as long as a request may
   * take, when the connection fails; so the statement must be one that can be repeated.
   */
  Future<RowSet<Row>> execute(String sql, Tuple parameters) {
    long deadline = System.nanoTime() + options.requestTimeout().toNanos();
    return retried(
        () -> timed(pool.preparedQuery(sql).execute(parameters)), deadline, FIRST_PAUSE_MILLIS);
  }

  private <T> Future<T> retried(Supplier<Future<T>> call, long deadline, long pauseMillis) {
    return call.get()
        .recover(
            failure -> {
              boolean late =
                  System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis) > deadline;
              if (late || !PgFailure.isTransient(failure)) {
                return Future.failedFuture(PgFailure.shown(failure));
              }
              long longer = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
              return vertx
                  .timer(pauseMillis, TimeUnit.MILLISECONDS)
                  .compose(fired -> findPrimary(failure))
                  .compose(found -> retried(call, deadline, longer));
            });
  }

  private Future<Void> findPrimary(Throwable failure) {
    return options.hosts().size() == 1 || !PgFailure.isOfConnection(failure)
        ? Future.succeededFuture()
        : connect().compose(PgConnection::close).otherwiseEmpty();
  }

  Future<Void> close() {
    return pool.close();
  }

  static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }
}
