package io.kvreactive.postgres.internal;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.spi.PgDriver;
import io.vertx.sqlclient.spi.ConnectionFactory;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a server, with a TCP client of its own. The client library leaves sockets open
 * after failed attempts, and does not close a connection whose server hangs. Closing the TCP client
 * closes the socket in all cases. Thread-safe.
 */
final class ServerConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

  /** Maximum time of an orderly end. */
  private static final long CLOSE_MILLIS = 1000;

  private final Vertx vertx;
  private final PgConnection connection;
  private final ConnectionFactory<PgConnectOptions> client;

  private ServerConnection(
      Vertx vertx, PgConnection connection, ConnectionFactory<PgConnectOptions> client) {
    this.vertx = vertx;
    this.connection = connection;
    this.client = client;
    connection.exceptionHandler(failure -> LOG.debug("a connection is lost", failure));
  }

  /** Connects to a server. No socket remains open if that fails or takes too long. */
  static Future<ServerConnection> open(Vertx vertx, PgConnectOptions options, int timeoutMillis) {
    ConnectionFactory<PgConnectOptions> client =
        PgDriver.INSTANCE.createConnectionFactory(
            vertx, new NetClientOptions().setConnectTimeout(timeoutMillis).setTcpKeepAlive(true));
    return timed(vertx, client.connect(vertx.getOrCreateContext(), options), timeoutMillis)
        .map(opened -> new ServerConnection(vertx, PgConnection.cast(opened), client))
        .onFailure(failure -> client.close((done, ignored) -> {}));
  }

  /** Returns a future that fails with a TimeoutException if there is no answer in time. */
  static <T> Future<T> timed(Vertx vertx, Future<T> answer, long millis) {
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

  /** Returns the connection for statements. Close this object instead of it. */
  PgConnection sql() {
    return connection;
  }

  /** Ends the session, and closes the socket. Idempotent. */
  Future<Void> close() {
    Context caller = vertx.getOrCreateContext(); // the client is closed on a thread of its own
    Promise<Void> closed = Promise.promise();
    timed(vertx, connection.close(), CLOSE_MILLIS)
        .onComplete(
            ended ->
                client.close((done, ignored) -> caller.runOnContext(then -> closed.tryComplete())));
    return closed.future();
  }
}
