package io.kvreactive.postgres.internal;

import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maintenance of a store, which one engine does for all: removes expired entries, ends lapsed
 * leases and drops old changes. Works in small steps, so that commits do not wait. Confined to the
 * event loop of the engine.
 */
final class StoreMaintenance {
  private static final Logger LOG = LoggerFactory.getLogger(StoreMaintenance.class);
  private static final long TICK_MILLIS = 100;
  private static final long PURGE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long ID_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final int MAX_EXPIRED = 500;
  private static final int MAX_BATCHES = 200;
  private static final int MAX_DROPPED = 2000;

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final PostgresOptions options;
  private final DedicatedConnection dedicated;
  private final CommitWriter writer;
  private final PostgresQueues queues;
  private long timer = -1;
  private boolean running;
  private boolean closed;
  private long purgedNanos = System.nanoTime();

  StoreMaintenance(
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      PostgresOptions options,
      DedicatedConnection dedicated,
      CommitWriter writer,
      PostgresQueues queues) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.options = options;
    this.dedicated = dedicated;
    this.writer = writer;
    this.queues = queues;
  }

  void start() {
    timer = context.owner().setPeriodic(TICK_MILLIS, fired -> tick());
  }

  /** Stops until the next start. */
  void stop() {
    context.owner().cancelTimer(timer);
  }

  private void tick() {
    if (running || closed) {
      return;
    }
    running = true;
    dedicated
        .leads()
        .compose(leads -> leads ? work() : Future.succeededFuture())
        .onComplete(
            done -> running = false,
            failure -> {
              LOG.debug("maintenance failed, and is tried again", failure);
              running = false;
            });
  }

  private Future<Void> work() {
    return sweep()
        .compose(done -> queues.endLapsed())
        .compose(more -> System.nanoTime() - purgedNanos < PURGE_NANOS ? skip() : purge());
  }

  private static Future<Void> skip() {
    return Future.succeededFuture();
  }

  private Future<Void> sweep() {
    return dedicated
        .execute(sql.expired, Tuple.of(MAX_EXPIRED))
        .compose(
            rows -> {
              if (rows.size() == 0 || closed) {
                return Future.succeededFuture();
              }
              List<byte[]> keys = new ArrayList<>();
              for (Row row : rows) {
                keys.add(row.getBuffer(0).getBytes());
              }
              Promise<Void> swept = Promise.promise();
              writer.sweep(keys).subscribe(done -> swept.complete(), swept::fail);
              return swept.future().compose(done -> rows.size() == MAX_EXPIRED ? sweep() : skip());
            });
  }

  /**
   * Drops the oldest changes, a number of groups of commits at a time. First the horizon is raised,
   * so that no reader misses changes that it may ask for. Commits wait for this statement only. It
   * may be the last one of a process: the next purge drops all changes up to the horizon.
   */
  private Future<Void> purge() {
    return drop(sql.dropChanges, Tuple.of(MAX_DROPPED))
        .compose(done -> database.execute(sql.dropBatches, Tuple.tuple()))
        .compose(done -> raiseHorizon())
        .compose(raised -> raised ? purge() : dropForgotten());
  }

  private Future<Void> dropForgotten() {
    purgedNanos = System.nanoTime();
    return drop(sql.dropIds, Tuple.of(MAX_DROPPED, ID_MILLIS))
        .compose(
            done -> drop(sql.dropEnded, Tuple.of(MAX_DROPPED, options.snapshotAge().toMillis())));
  }

  /** Drops rows, a number of them at a time. */
  private Future<Void> drop(String statement, Tuple parameters) {
    return database
        .execute(statement, parameters)
        .compose(
            rows -> rows.size() < MAX_DROPPED || closed ? skip() : drop(statement, parameters));
  }

  /** Emits true if there are changes to drop. */
  private Future<Boolean> raiseHorizon() {
    Tuple retention =
        Tuple.of(
            MAX_BATCHES,
            options.snapshotAge().toMillis(),
            options.retentionAge().toMillis(),
            options.retentionBytes());
    return dedicated
        .execute(sql.oldBatches, retention)
        .compose(
            rows -> {
              Row row = rows.iterator().next();
              Long version = row.getLong(0);
              return version == null || closed
                  ? Future.succeededFuture(false)
                  : database
                      .execute(sql.raiseHorizon, Tuple.of(version, row.getLong(1)))
                      .map(raised -> true);
            });
  }

  void close() {
    closed = true;
    stop();
  }
}
