package io.kvreactive.postgres.internal;

import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.PostgresOptions.Host;
import io.kvreactive.postgres.PostgresOptions.Tls;
import io.kvreactive.postgres.internal.KnownHead.StaleServerException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of a cluster: opens connections to them, and has a pool of connections to the
 * primary. The engines of a Vert.x that have the same URL, except for the schema, share one.
 * Thread-safe.
 */
final class ServerCluster implements Shareable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCluster.class);
  private static final String CLUSTERS = ServerCluster.class.getName();
  private static final int MAX_STATEMENT_CHARS = 8192;
  private static final long MAX_IDLE_IN_TRANSACTION_MILLIS = 5000;

  /** The time after which a statement has no answer although the server must have ended it. */
  private static final long GRACE_MILLIS = 1000;

  /** The message SSLRequest of the protocol: its length and its code. */
  private static final Buffer SSL_REQUEST = Buffer.buffer().appendInt(8).appendInt(80877103);

  private static final String INVALID_AUTHORIZATION = "28000";

  /** Functions that a server does not permit, does not support, or does not have. */
  private static final Set<String> NOT_AVAILABLE = Set.of("42501", "0A000", "42883");

  private static final String TIMELINE =
      "CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END";

  /** Find the place of a server, from the most to the least that a server may permit. */
  private static final List<String> FIND_PLACE =
      List.of(
          "SELECT pg_is_in_recovery(), %s, (SELECT system_identifier FROM pg_control_system())"
              .formatted(TIMELINE),
          "SELECT pg_is_in_recovery(), %s, 0::bigint".formatted(TIMELINE),
          "SELECT pg_is_in_recovery(), NULL::text, 0::bigint");

  /** Hexadecimal digits of the timeline in the name of a file of the write-ahead log. */
  private static final int TIMELINE_DIGITS = 8;

  private final Vertx vertx;
  private final Key key;
  private final Map<Host, Boolean> offersTls = new ConcurrentHashMap<>();
  private volatile int findPlace; // index of the statement that the servers permit
  private volatile @Nullable Primary primary;
  private int users; // guarded by the map of clusters
  private boolean closed;

  /** The options by which connections are made. */
  private record Key(
      List<Host> hosts,
      String user,
      @Nullable String password,
      String database,
      Tls tls,
      @Nullable Path rootCertificate,
      int readConnections,
      Duration connectTimeout,
      Duration requestTimeout,
      Duration idleTimeout)
      implements Shareable {}

  /**
   * The identity of a server: the identifier of its cluster, and the timeline of its write-ahead
   * log. Each promotion of a standby increments the timeline. A part that the server does not tell
   * is 0.
   */
  record Place(long cluster, int timeline) {
    /** Returns true if no known part differs. */
    boolean isOf(long otherCluster, int otherTimeline) {
      return (cluster == 0 || cluster == otherCluster)
          && (timeline == 0 || timeline == otherTimeline);
    }

    /** Returns true if a standby was promoted since this place. */
    boolean isBefore(Place other) {
      return cluster == other.cluster && timeline < other.timeline;
    }
  }

  /** The server in use, and the pool of its connections. */
  record Primary(int host, Place place, ConnectionPool pool) {}

  /**
   * A connection and the place of its server.
   *
   * @param place null for a standby
   */
  record Opened(ServerConnection connection, @Nullable Place place) {}

  private ServerCluster(Vertx vertx, Key key) {
    this.vertx = vertx;
    this.key = key;
  }

  /** Returns the cluster of options. Each call requires a call of {@link #release}. */
  static ServerCluster of(Vertx vertx, PostgresOptions options) {
    Key key =
        new Key(
            options.hosts(),
            options.user(),
            options.password(),
            options.database(),
            options.tls(),
            options.rootCertificate(),
            options.readConnections(),
            options.connectTimeout(),
            options.requestTimeout(),
            options.idleTimeout());
    return clusters(vertx)
        .compute(
            key,
            (same, known) -> {
              ServerCluster cluster = known == null ? new ServerCluster(vertx, key) : known;
              cluster.users++;
              return cluster;
            });
  }

  private static LocalMap<Key, ServerCluster> clusters(Vertx vertx) {
    return vertx.sharedData().getLocalMap(CLUSTERS);
  }

  /** Closes the pool if no other engine uses it. */
  Future<Void> release() {
    return clusters(vertx).computeIfPresent(key, (same, known) -> --users == 0 ? null : known)
            == null
        ? close()
        : Future.succeededFuture();
  }

  private synchronized Future<Void> close() {
    closed = true;
    Primary last = primary;
    return last == null ? Future.succeededFuture() : last.pool.close();
  }

  // ---- the primary

  /** Returns the server that was last found to be the primary, or null before the first one. */
  @Nullable Primary primary() {
    return primary;
  }

  /**
   * Reads from a server from now on. Ends the connections to the one before.
   *
   * @param afresh true to end the connections also if the server is the same
   */
  synchronized void use(int host, Place place, boolean afresh) {
    Primary last = primary;
    if (closed || last != null && !afresh && last.host == host && last.place.equals(place)) {
      return;
    }
    ConnectionPool pool =
        new ConnectionPool(
            vertx,
            key.readConnections,
            key.idleTimeout.toMillis(),
            () -> open(host).compose(opened -> atPlace(opened, place)));
    primary = new Primary(host, place, pool);
    if (last != null) {
      LOG.info("reads from {}, {}", key.hosts.get(host), place);
      last.pool.close();
    }
  }

  private static Future<ServerConnection> atPlace(Opened opened, Place expected) {
    if (expected.equals(opened.place)) {
      return Future.succeededFuture(opened.connection);
    }
    opened.connection.close();
    return Future.failedFuture(
        new StaleServerException(
            "another place: %s (expected: %s)".formatted(opened.place, expected)));
  }

  /**
   * Returns a future that fails with a TimeoutException if the server does not answer within the
   * request timeout. This is also the maximum time of a statement.
   */
  <T> Future<T> timed(Future<T> answer) {
    return ServerConnection.timed(vertx, answer, statementMillis());
  }

  /** Returns the maximum time of a statement, until the server must have ended it. */
  long statementMillis() {
    return key.requestTimeout.toMillis() + GRACE_MILLIS;
  }

  // ---- connections

  /** Connects to a server and reads its place. Otherwise no socket remains open. */
  Future<Opened> open(int index) {
    Host host = key.hosts.get(index);
    return connect(host)
        .compose(
            connection ->
                ServerConnection.timed(vertx, place(connection.sql(), findPlace), connectMillis())
                    .map(place -> new Opened(connection, place))
                    .onFailure(failure -> connection.close()));
  }

  /** Emits the place of a primary, or null for a standby. */
  private Future<@Nullable Place> place(PgConnection connection, int statement) {
    return connection
        .query(FIND_PLACE.get(statement))
        .execute()
        .map(
            rows -> {
              Row row = rows.iterator().next();
              String file = row.getString(1);
              int timeline =
                  file == null ? 0 : Integer.parseInt(file.substring(0, TIMELINE_DIGITS), 16);
              return row.getBoolean(0) ? null : new Place(row.getLong(2), timeline);
            })
        .recover(
            failure -> {
              boolean fewer =
                  failure instanceof PgException refused
                      && NOT_AVAILABLE.contains(refused.getSqlState())
                      && statement + 1 < FIND_PLACE.size();
              return fewer
                  ? place(connection, statement + 1)
                      .onSuccess(place -> restricted(statement + 1, failure))
                  : Future.failedFuture(failure);
            });
  }

  private synchronized void restricted(int statement, Throwable failure) {
    if (statement > findPlace) {
      findPlace = statement;
      LOG.warn(
          "the server does not tell {}, so that {}: {}",
          statement == 1 ? "the identifier of its cluster" : "its timeline",
          statement == 1
              ? "the start on a restored copy is not recognized"
              : "a failover that loses commits is recognized only while they are newer than its"
                  + " commits",
          failure.getMessage());
    }
  }

  private int connectMillis() {
    return bounded(key.connectTimeout);
  }

  /** Returns milliseconds, at most those that settings of PostgreSQL may have. */
  private static int bounded(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, time.toMillis());
  }

  /** Connects with or without TLS. A result that was contradicted is negotiated again. */
  private Future<ServerConnection> connect(Host host) {
    if (key.tls == Tls.DISABLE) {
      return connect(host, SslMode.DISABLE);
    }
    Boolean known = offersTls.get(host);
    return (known == null
            ? negotiated(host).onSuccess(offered -> offersTls.put(host, offered))
            : Future.succeededFuture(known))
        .compose(offered -> offered ? encrypted(host) : plain(host))
        .recover(
            failure -> {
              offersTls.remove(host);
              return known != null && isOfTls(failure)
                  ? connect(host)
                  : Future.failedFuture(failure);
            });
  }

  /** Returns true if a server may accept the connection with TLS and not without, or vice versa. */
  private static boolean isOfTls(Throwable failure) {
    return failure instanceof PgException refused
        ? refused.getSqlState().equals(INVALID_AUTHORIZATION)
        : !(failure instanceof TimeoutException || failure instanceof IOException);
  }

  private Future<ServerConnection> encrypted(Host host) {
    if (key.tls != Tls.PREFER) {
      return connect(host, key.tls == Tls.VERIFY_FULL ? SslMode.VERIFY_FULL : SslMode.REQUIRE);
    }
    return connect(host, SslMode.REQUIRE)
        .recover(
            failure ->
                isOfTls(failure)
                    ? connect(host, SslMode.DISABLE)
                        .onSuccess(connected -> offersTls.put(host, false))
                        .recover(also -> Future.failedFuture(failure))
                    : Future.failedFuture(failure));
  }

  private Future<ServerConnection> plain(Host host) {
    return key.tls == Tls.PREFER
        ? connect(host, SslMode.DISABLE)
        : Future.failedFuture(
            new IOException(
                "%s offers no TLS (expected: TLS, because of sslmode=%s)"
                    .formatted(host, key.tls.parameter())));
  }

  private Future<ServerConnection> connect(Host host, SslMode mode) {
    return ServerConnection.open(vertx, connectOptions(host, mode), connectMillis());
  }

  /** Asks a server whether it speaks TLS, by a connection that is closed at once. */
  private Future<Boolean> negotiated(Host host) {
    NetClient client =
        vertx.createNetClient(new NetClientOptions().setConnectTimeout(connectMillis()));
    Future<Boolean> answer =
        client.connect(host.port(), host.name()).compose(ServerCluster::negotiated);
    return ServerConnection.timed(vertx, answer, connectMillis())
        .onComplete(done -> client.close(), failure -> client.close());
  }

  private static Future<Boolean> negotiated(NetSocket socket) {
    Promise<Boolean> answer = Promise.promise();
    socket.exceptionHandler(answer::tryFail);
    socket.closeHandler(ignored -> answer.tryFail(new ClosedChannelException()));
    socket.handler(bytes -> answer.tryComplete(bytes.getByte(0) == 'S'));
    return socket.write(SSL_REQUEST.copy()).compose(written -> answer.future());
  }

  private PgConnectOptions connectOptions(Host host, SslMode mode) {
    String requestMillis = String.valueOf(bounded(key.requestTimeout));
    PgConnectOptions connect =
        new PgConnectOptions()
            .setHost(host.name())
            .setPort(host.port())
            .setUser(key.user)
            .setDatabase(key.database)
            .setCachePreparedStatements(true)
            .setPreparedStatementCacheSqlLimit(MAX_STATEMENT_CHARS)
            .setSslMode(mode)
            .addProperty("application_name", "kv-reactive")
            .addProperty("statement_timeout", requestMillis)
            // a process that hangs must not keep the lock of the head
            .addProperty(
                "idle_in_transaction_session_timeout",
                String.valueOf(MAX_IDLE_IN_TRANSACTION_MILLIS))
            .addProperty("lock_timeout", requestMillis)
            // always plans that use the indexes, regardless of statistics
            .addProperty("plan_cache_mode", "force_generic_plan")
            .addProperty("enable_seqscan", "off")
            .addProperty("enable_bitmapscan", "off")
            .addProperty("enable_hashjoin", "off")
            .addProperty("enable_mergejoin", "off")
            .addProperty("jit", "off");
    if (key.password != null) {
      connect.setPassword(key.password);
    }
    if (mode != SslMode.DISABLE) {
      connect.setSslOptions(sslOptions());
    }
    return connect;
  }

  private ClientSSLOptions sslOptions() {
    ClientSSLOptions ssl = new ClientSSLOptions();
    if (key.tls != Tls.VERIFY_FULL) {
      return ssl.setTrustAll(true);
    }
    ssl.setHostnameVerificationAlgorithm("HTTPS");
    Path certificate = key.rootCertificate;
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
}
