package io.kvreactive.postgres.internal;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's dedicated connection: LISTEN, NOTIFY and the advisory lock of the maintaining
 * engine. Opened again when it is lost. A notification is only a hint, so a lost one costs at most
 * the poll interval. PostgreSQL closes the connection of a process that hangs, so that another
 * engine gets the lock. Confined to the event loop of the engine.
 */
final class DedicatedConnection {
  private static final Logger LOG = LoggerFactory.getLogger(DedicatedConnection.class);
  private static final long REOPEN_MILLIS = 200;
  private static final long MAX_IDLE_MILLIS = 5000; // the maintenance sends a query every 100 ms

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final String channel;
  private final Runnable notified;
  private @Nullable ServerConnection connection;
  private boolean sending;
  private boolean sendAgain;
  private boolean leads;
  private boolean opening;
  private boolean suspended;
  private boolean closed;

  /**
   * @param notified called on the event loop after a notification, and after each opening
   */
  DedicatedConnection(
      Context context, PostgresConnections database, PostgresSql sql, Runnable notified) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.notified = notified;
    this.channel =
        "kv_"
            + HexFormat.of().formatHex(sql.schema.getBytes(StandardCharsets.UTF_8), 0, nameBytes());
  }

  /** A channel has at most 63 bytes; engines of other schemas may share one. */
  private int nameBytes() {
    return Math.min(30, sql.schema.getBytes(StandardCharsets.UTF_8).length);
  }

  /** Opens the connection, and opens it again when it is lost. */
  void open() {
    suspended = false;
    openUnlessOpen();
  }

  /** Closes the connection until the next call of {@link #open}. */
  void suspend() {
    suspended = true;
    ServerConnection open = connection;
    connection = null;
    leads = false;
    if (open != null) {
      open.close();
    }
  }

  private void openUnlessOpen() {
    if (closed || suspended || opening || connection != null) {
      return;
    }
    opening = true;
    database
        .connect()
        .compose(
            opened ->
                opened
                    .sql()
                    .query(
                        "SET idle_session_timeout = %d; LISTEN %s"
                            .formatted(MAX_IDLE_MILLIS, channel))
                    .execute()
                    .map(opened)
                    .onFailure(failure -> opened.close()))
        .onComplete(
            this::opened,
            failure -> {
              LOG.debug("no connection for notifications", failure);
              opening = false;
              openLater();
            });
  }

  private void openLater() {
    context
        .owner()
        .setTimer(REOPEN_MILLIS, fired -> context.runOnContext(ignored -> openUnlessOpen()));
  }

  private void opened(ServerConnection opened) {
    opening = false;
    if (closed || suspended) {
      opened.close();
      return;
    }
    connection = opened;
    PgConnection sql = opened.sql();
    sql.notificationHandler(
        notification -> {
          if (notification.getProcessId() != sql.processId()) {
            context.runOnContext(ignored -> notified.run());
          }
        });
    sql.closeHandler(ignored -> context.runOnContext(gone -> lost(opened)));
    notified.run();
  }

  private void lost(ServerConnection gone) {
    if (connection == gone) {
      connection = null;
      leads = false;
      openLater();
    }
  }

  /** Closes a connection that does not answer, and opens another one. */
  private void abandon(ServerConnection stuck) {
    stuck.close();
    lost(stuck);
  }

  /** Notifies the other engines of new commits. Several calls may cause a single notification. */
  void send() {
    ServerConnection open = connection;
    if (sending || open == null) {
      sendAgain = sending;
      return;
    }
    sending = true;
    sendAgain = false;
    database
        .timed(open.sql().preparedQuery("SELECT pg_notify($1, '')").execute(Tuple.of(channel)))
        .onComplete(
            ended -> sent(),
            failure -> {
              LOG.debug("a notification was not sent", failure);
              context.runOnContext(ignored -> abandon(open));
              sent();
            });
  }

  private void sent() {
    sending = false;
    if (sendAgain) {
      send();
    }
  }

  /** Emits true if this engine is the one that maintains the store. */
  Future<Boolean> leads() {
    ServerConnection open = connection;
    if (leads || open == null) {
      return Future.succeededFuture(leads);
    }
    return database
        .timed(open.sql().preparedQuery(sql.lead).execute(Tuple.of(sql.schema)))
        .onFailure(failure -> context.runOnContext(ignored -> abandon(open)))
        .map(rows -> leads = connection == open && rows.iterator().next().getBoolean(0))
        .otherwise(false);
  }

  /**
   * Runs a statement of the maintenance. Fails if the lock is lost. A failure closes the
   * connection, because a server that was cut off may not answer again, and another engine may have
   * the lock.
   */
  Future<RowSet<Row>> execute(String statement, Tuple arguments) {
    ServerConnection open = connection;
    if (open == null || !leads) {
      return Future.failedFuture("the lock of the maintenance is lost");
    }
    return database
        .timed(open.sql().preparedQuery(statement).execute(arguments))
        .onFailure(failure -> context.runOnContext(ignored -> abandon(open)));
  }

  Future<Void> close() {
    closed = true;
    ServerConnection open = connection;
    connection = null;
    return open == null ? Future.succeededFuture() : open.close();
  }
}
