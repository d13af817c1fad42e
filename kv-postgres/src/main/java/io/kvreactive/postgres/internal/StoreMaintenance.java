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

  /** Drops the oldest changes, a number of groups of commits at a time. */
  private Future<Void> purge() {
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
              if (version == null || closed) {
                purgedNanos = System.nanoTime();
                return database.execute(sql.purgeIds, Tuple.of(ID_MILLIS)).<Void>mapEmpty();
              }
              return database
                  .execute(sql.purge, Tuple.of(version, row.getLong(1)))
                  .compose(done -> purge());
            });
  }

  void close() {
    closed = true;
    stop();
  }
}
