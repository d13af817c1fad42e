package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.PostgresOptions.Host;
import io.kvreactive.postgres.internal.KnownHead.StaleServerException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to the primary of a cluster: single ones, and a pool for reads. Searches for the
 * primary again whenever a connection has failed. Thread-safe.
 */
final class PostgresConnections {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresConnections.class);

  /** Reads that wait for a connection. */
  private static final int MAX_WAITING = 100_000;

  private static final int MAX_STATEMENT_CHARS = 8192;
  private static final long MAX_IDLE_IN_TRANSACTION_MILLIS = 5000;

  /** The time after which a statement has no answer although the server must have ended it. */
  private static final long GRACE_MILLIS = 1000;

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  /** Names the place of a server that is a primary. */
  private static final String FIND_PLACE =
      """
      SELECT pg_is_in_recovery(),
        CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END,
        (SELECT system_identifier FROM pg_control_system())
      """;

  /** Hexadecimal digits of the timeline in the name of a file of the write-ahead log. */
  private static final int TIMELINE_DIGITS = 8;

  private final Vertx vertx;
  private final PostgresOptions options;
  private final AtomicReference<@Nullable Future<Void>> search = new AtomicReference<>();
  private volatile @Nullable Primary primary;
  private volatile @Nullable KnownHead known;
  private volatile @Nullable FailoverCheck check;
  private volatile boolean closed;

  /**
   * The identity of a server: the identifier of its cluster, and the timeline of its write-ahead
   * log. Each promotion of a standby increments the timeline.
   */
  record Place(long cluster, int timeline) {
    boolean isOf(long otherCluster, int otherTimeline) {
      return cluster == otherCluster && timeline == otherTimeline;
    }

    /** Returns true if a standby was promoted since this place. */
    boolean isBefore(Place other) {
      return cluster == other.cluster && timeline < other.timeline;
    }
  }

  /** The server in use, and the pool of its connections. */
  private record Primary(int host, Place place, Pool pool) {}

  PostgresConnections(Vertx vertx, PostgresOptions options) {
    this.vertx = vertx;
    this.options = options;
  }

  /** Checks all connections that are made from now on for lost commits. */
  void check(KnownHead head, FailoverCheck failovers) {
    known = head;
    check = failovers;
  }

  private Pool pool(int host, Place place) {
    return PgBuilder.pool()
        .with(
            new PoolOptions()
                .setMaxSize(options.readConnections())
                .setMaxWaitQueueSize(MAX_WAITING)
                .setConnectionTimeout((int) options.requestTimeout().toMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
        .withConnectHandler(connection -> pooled(connection, place))
        .connectingTo(connectOptions(options.hosts().get(host)))
        .using(vertx)
        .build();
  }

  /** Hands a connection over to the pool, or ends it if it leads to another place by now. */
  private void pooled(SqlConnection connection, Place expected) {
    connection.exceptionHandler(PostgresConnections::lost);
    place(connection)
        .compose(
            found ->
                expected.equals(found)
                    ? Future.succeededFuture()
                    : connection
                        .query("SELECT pg_terminate_backend(pg_backend_pid())")
                        .execute()
                        .mapEmpty())
        .onComplete(done -> connection.close(), failure -> connection.close());
  }

  /** Emits the place of a primary, or null for a standby. */
  private static Future<@Nullable Place> place(SqlConnection connection) {
    return connection
        .query(FIND_PLACE)
        .execute()
        .map(
            rows -> {
              Row row = rows.iterator().next();
              String file = row.getString(1);
              return file == null
                  ? null
                  : new Place(
                      row.getLong(2), Integer.parseInt(file.substring(0, TIMELINE_DIGITS), 16));
            });
  }

  private static void lost(Throwable failure) {
    LOG.debug("a connection is lost", failure);
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
            // a process that hangs must not keep the lock of the head
            .addProperty(
                "idle_in_transaction_session_timeout",
                String.valueOf(MAX_IDLE_IN_TRANSACTION_MILLIS))
            .addProperty("lock_timeout", String.valueOf(options.requestTimeout().toMillis()))
            // always plans that use the indexes, regardless of statistics
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
    return ssl.setTrustOptions(
        certificate == null
            ? TrustOptions.wrap(authorities())
            : new PemTrustOptions().addCertPath(certificate.toString()));
  }

  /** Returns the authorities that the JVM trusts. */
  private static TrustManager authorities() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      return factory.getTrustManagers()[0];
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no default authorities", e);
    }
  }

  /**
   * Connects to the primary, which is the first host that is not a standby. Fails with IO_FAILED if
   * it has lost commits.
   */
  Future<PgConnection> connect() {
    Primary last = primary;
    return connect(last == null ? 0 : last.host, options.hosts().size());
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
        .onSuccess(connection -> connection.exceptionHandler(PostgresConnections::lost))
        .compose(
            connection ->
                timed(place(connection).compose(place -> checked(connection, host, place)), millis)
                    .map(connection)
                    .onFailure(failure -> connection.close()));
  }

  private Future<Void> checked(PgConnection connection, int host, @Nullable Place place) {
    if (place == null) {
      return Future.failedFuture(
          new StaleServerException(options.hosts().get(host) + " is a standby"));
    }
    Primary last = primary;
    if (last != null && place.isBefore(last.place)) {
      return Future.failedFuture(
          new StaleServerException(
              "%s is a former primary: timeline %d (expected: at least %d)"
                  .formatted(options.hosts().get(host), place.timeline, last.place.timeline)));
    }
    FailoverCheck failovers = check;
    return (failovers == null ? Future.<Void>succeededFuture() : failovers.check(connection, place))
        .onSuccess(done -> use(host, place, false));
  }

  /** Returns the place of the server that was last connected to. */
  Place place() {
    return Objects.requireNonNull(primary, "not connected").place;
  }

  /** Reads from a server from now on. Ends the connections to the one before. */
  private synchronized void use(int host, Place place, boolean afresh) {
    Primary last = primary;
    if (closed || last != null && !afresh && last.host == host && last.place.equals(place)) {
      return;
    }
    primary = new Primary(host, place, pool(host, place));
    if (last != null) {
      LOG.info("reads from {}, {}", options.hosts().get(host), place);
      last.pool.close();
    }
  }

  /**
   * Returns a future that fails with a TimeoutException if the server does not answer within the
   * request timeout. This is also the maximum time of a statement.
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
    return execute(sql, parameters, rows -> {});
  }

  /**
   * The same, with a check of the answer.
   *
   * @param check throws a {@link StaleServerException} if the server does not know enough,
   *     whereupon the primary is looked for
   */
  Future<RowSet<Row>> execute(String sql, Tuple parameters, Consumer<RowSet<Row>> check) {
    long deadline = System.nanoTime() + options.requestTimeout().toNanos();
    return retried(() -> once(sql, parameters, check), deadline, FIRST_PAUSE_MILLIS);
  }

  private Future<RowSet<Row>> once(String sql, Tuple parameters, Consumer<RowSet<Row>> check) {
    KnownHead head = known;
    Primary server = primary;
    if (server == null) {
      return Future.failedFuture(closed());
    }
    if (head != null) {
      try {
        head.checkAccepted();
      } catch (KvException refused) {
        return Future.failedFuture(refused);
      }
    }
    return timed(server.pool.preparedQuery(sql).execute(parameters))
        .map(
            rows -> {
              check.accept(rows);
              return rows;
            });
  }

  private <T> Future<T> retried(Supplier<Future<T>> call, long deadline, long pauseMillis) {
    return call.get()
        .recover(
            failure -> {
              boolean late =
                  System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis) > deadline;
              if (late || closed || !PgFailure.isTransient(failure)) {
                return Future.failedFuture(PgFailure.shown(failure));
              }
              long longer = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
              return vertx
                  .timer(pauseMillis, TimeUnit.MILLISECONDS)
                  .compose(fired -> findPrimary(failure))
                  .compose(found -> retried(call, deadline, longer));
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
              if (failure instanceof TimeoutException) { // connections may be stuck
                Primary found = primary;
                if (found != null) {
                  use(found.host, found.place, true);
                }
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

  Future<Void> close() {
    Primary last;
    synchronized (this) {
      closed = true;
      last = primary;
    }
    return last == null ? Future.succeededFuture() : last.pool.close();
  }

  static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }
}
