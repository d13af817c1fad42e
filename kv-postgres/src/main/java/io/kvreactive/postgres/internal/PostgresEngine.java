package io.kvreactive.postgres.internal;

import static io.kvreactive.internal.shared.ArgumentChecks.atLeast;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvStats;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * An engine whose store is a schema of a PostgreSQL database. Any number of engines may work on a
 * store. Commits go through {@link CommitWriter}, reads through {@link PostgresReads}, and {@link
 * ChangeTracker} follows the commits of all engines.
 */
final class PostgresEngine implements KvEngine {
  /** The time after which an idle engine does its share of the maintenance. */
  private static final long ROUND_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** The duration of such maintenance. */
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final PostgresOptions options;
  private final Mono<Void> release;
  private final KnownHead known;
  private final DatabaseClock clock;
  private final PostgresReads reads;
  private final DedicatedConnection dedicated;
  private final ChangeTracker tracker;
  private final CommitWriter writer;
  private final PostgresQueues queues;
  private final StoreMaintenance maintenance;
  private final LongAdder userOperations = new LongAdder();
  private final Sinks.Empty<Void> closing = Sinks.empty();
  private volatile boolean closed;
  private volatile long usedNanos = System.nanoTime();
  private volatile boolean suspended;
  private long idleTimer = -1;
  private long roundTimer = -1;

  /**
   * @param release closes this engine and its event loop; completes when both are closed
   */
  PostgresEngine(
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      PostgresOptions options,
      KnownHead known,
      DatabaseClock clock,
      Mono<Void> release) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.options = options;
    this.release = release;
    this.known = known;
    this.clock = clock;
    this.reads = new PostgresReads(database, sql, known, clock);
    this.dedicated = new DedicatedConnection(context, database, sql, this::notified);
    this.tracker = new ChangeTracker(context, database, sql, known, this::advanced);
    this.writer = new CommitWriter(context, database, sql, options, known, clock, this::published);
    this.queues =
        new PostgresQueues(context, database, sql, writer, options.limits(), dedicated::send);
    this.maintenance =
        new StoreMaintenance(context, database, sql, options, dedicated, writer, queues);
  }

  /** Begins to follow other engines. Must be called on the event loop. */
  void start() {
    begin();
    idleTimer =
        context
            .owner()
            .setPeriodic(
                Math.max(1, options.idleTimeout().toMillis() / 4),
                fired -> context.runOnContext(ignored -> suspendIfIdle()));
  }

  private void begin() {
    dedicated.open();
    tracker.start(options.pollInterval().toMillis());
    maintenance.start();
  }

  // ---- idle engines

  private void used() {
    usedNanos = System.nanoTime();
    if (suspended) {
      context.runOnContext(ignored -> resume());
    }
  }

  private boolean isIdle() {
    return System.nanoTime() - usedNanos >= options.idleTimeout().toNanos()
        && tracker.watches() + tracker.feeds() == 0
        && !queues.isWaitedFor()
        && writer.isIdle();
  }

  /** Closes the connections of this engine, and does not poll, until the next call. */
  private void suspendIfIdle() {
    if (suspended || closed || !isIdle()) {
      return;
    }
    suspended = true;
    dedicated.suspend();
    tracker.stop();
    maintenance.stop();
    writer.disconnect();
    roundTimer =
        context
            .owner()
            .setTimer(ROUND_MILLIS, fired -> context.runOnContext(ignored -> maintain()));
    if (!isIdle()) { // a call that did not see the suspension
      resume();
    }
  }

  private void maintain() {
    usedNanos = System.nanoTime() - options.idleTimeout().toNanos() + ROUND_NANOS;
    resume();
  }

  private void resume() {
    if (suspended && !closed) {
      suspended = false;
      context.owner().cancelTimer(roundTimer);
      begin();
    }
  }

  // ---- events

  private void notified() {
    tracker.poll();
    queues.wake();
  }

  private void published(long version) {
    tracker.poll();
    queues.wake();
    dedicated.send();
  }

  private void advanced() {
    queues.wake();
  }

  // ---- calls

  private <T> Mono<T> call(Supplier<Future<T>> call) {
    return Mono.<T>create(
            sink -> {
              checkOpen();
              used();
              call.get().onComplete(sink::success, sink::error);
            })
        .onErrorMap(this::shown);
  }

  private <T> Mono<T> onLoop(Supplier<Future<T>> call) {
    return Mono.<T>create(
            sink -> {
              checkOpen();
              context.runOnContext(
                  ignored -> {
                    try {
                      call.get().onComplete(sink::success, sink::error);
                    } catch (KvException e) {
                      sink.error(e);
                    }
                  });
            })
        .onErrorMap(this::shown);
  }

  /** Returns the exception for users, which is CLOSED for calls that closing has interrupted. */
  private KvException shown(Throwable failure) {
    KvException shown = PgFailure.shown(failure);
    boolean interrupted =
        shown.code() == KvErrorCode.UNAVAILABLE || shown.code() == KvErrorCode.INTERNAL;
    return closed && interrupted ? PostgresConnections.closed() : shown;
  }

  private void checkOpen() {
    if (closed) {
      throw PostgresConnections.closed();
    }
  }

  @Override
  public String name() {
    return options.name();
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return call(
        () -> {
          options.limits().checkRead(ranges);
          return reads.read(ranges, own(snapshot), maxBytes);
        });
  }

  private static @Nullable PostgresSnapshot own(@Nullable Snapshot snapshot) {
    if (snapshot == null || snapshot instanceof PostgresSnapshot) {
      return (PostgresSnapshot) snapshot;
    }
    throw new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "snapshot of another engine (expected: a snapshot of this engine)");
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return call(
        () -> {
          options.limits().checkRead(List.of(new ReadRange(start, end, 1, false, true)));
          return reads.count(start, end);
        });
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return call(() -> reads.snapshot().map(snapshot -> (Snapshot) snapshot))
        .doOnDiscard(Snapshot.class, Snapshot::close);
  }

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return Mono.defer(
        () -> {
          checkOpen();
          used();
          options.limits().checkCommit(commit, now());
          return writer.commit(commit);
        });
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return watch(keys, Long.MAX_VALUE);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    return Flux.defer(
        () -> {
          checkOpen();
          used();
          options.limits().checkWatch(keys);
          if (keys.isEmpty()) {
            ReadResult nothing = new ReadResult(Versionstamp.of(known.newest()), List.of());
            return Flux.concat(Mono.just(nothing), closing.asMono().cast(ReadResult.class));
          }
          return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ReadResult> actual) {
              new PostgresWatch(actual, context, tracker, reads, clock, keys, maxBytes).start();
            }
          };
        });
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return Flux.defer(
        () -> {
          checkOpen();
          used();
          options
              .limits()
              .checkRead(List.of(new ReadRange(request.start(), request.end(), 1, false, true)));
          return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super CommittedChanges> actual) {
              new PostgresFeed(actual, request, context, database, sql, tracker, clock, known)
                  .start();
            }
          };
        });
  }

  // ---- queues

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return Mono.defer(
        () -> {
          checkOpen();
          used();
          atLeast("max", max, 1);
          atLeast("leaseMillis", leaseMillis, 1);
          return queues.claim(queue, max, leaseMillis);
        });
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return call(
        () -> {
          atLeast("leaseMillis", leaseMillis, 1);
          return queues.extend(leases, leaseMillis);
        });
  }

  @Override
  public Mono<Void> finish(LeaseToken lease, Finish how) {
    return onLoop(
        () -> {
          used();
          return queues.finish(lease, how);
        });
  }

  @Override
  public Mono<List<QueueStats>> queueStats() {
    return onLoop(queues::stats);
  }

  // ---- the store

  @Override
  public UUID historyId() {
    return known.history();
  }

  @Override
  public Mono<KvStats> stats() {
    return onLoop(
        () ->
            queues
                .stats()
                .compose(
                    queueStats ->
                        database
                            .execute(sql.sizes, Tuple.of(sql.schema + ".entry"))
                            .map(rows -> stats(rows.iterator().next(), queueStats))));
  }

  private KvStats stats(Row head, List<QueueStats> queueStats) {
    Versionstamp version = Versionstamp.of(head.getLong(0));
    long millis = head.getLong(1);
    KvStats.Storage storage =
        new KvStats.Storage(head.getLong(2), head.getLong(5), head.getLong(3), 1, 0, 0);
    Set<PostgresSnapshot> snapshots = reads.open();
    PostgresSnapshot oldest =
        snapshots.stream().min(Comparator.comparingLong(s -> s.openedNanos)).orElse(null);
    KvStats.Readers readers =
        new KvStats.Readers(
            reads.running(),
            snapshots.size(),
            oldest == null
                ? Duration.ZERO
                : Duration.ofNanos(System.nanoTime() - oldest.openedNanos),
            oldest == null ? 0 : version.version() - oldest.version,
            tracker.watches(),
            tracker.feeds());
    Duration ahead = Duration.ofMillis(clock.now() - System.currentTimeMillis());
    return new KvStats(
        version,
        version,
        millis == 0 ? null : Instant.ofEpochMilli(millis),
        known.isRefused() ? KvErrorCode.IO_FAILED : writer.failing(),
        storage,
        writer.stats(),
        readers,
        queueStats.stream().map(PostgresEngine::shown).toList(),
        new KvStats.Clock(Instant.ofEpochMilli(clock.now()), ahead, KvStats.ClockState.IN_STEP));
  }

  private static KvStats.Queue shown(QueueStats queue) {
    return new KvStats.Queue(
        queue.queue(),
        queue.depth(),
        queue.ready(),
        queue.leased(),
        queue.delayed(),
        Duration.ofMillis(queue.oldestReadyMillis()),
        queue.waiting());
  }

  @Override
  public long now() {
    return clock.now();
  }

  @Override
  public LongAdder userOperations() {
    return userOperations;
  }

  @Override
  public KvLimits limits() {
    return options.limits();
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          return release;
        });
  }

  /** Ends all calls and subscriptions. Must be called on the event loop. */
  Future<Void> end() {
    closed = true;
    closing.tryEmitEmpty();
    context.owner().cancelTimer(idleTimer);
    context.owner().cancelTimer(roundTimer);
    maintenance.close();
    tracker.close();
    return writer
        .close()
        .compose(done -> queues.close())
        .eventually(dedicated::close)
        .eventually(database::close);
  }
}
