package example.engine;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A small engine in memory. One thread executes the commits and emits to watches and feeds. Reads
 * take the newest state, which never changes, on the calling thread. So there are no locks.
 */
final class SortedMapEngine implements KvEngine {
  private static final long PAGE_BYTES = 4 << 20;
  private static final long MIN_SWEEP_PAUSE_MILLIS = 10;

  private final String name;
  private final KvLimits limits;
  private final UUID historyId = UUID.randomUUID();
  private final LongAdder userOperations = new LongAdder();
  private final AtomicLong clock = new AtomicLong();
  private final Set<EngineSubscription<?>> subscriptions = ConcurrentHashMap.newKeySet();
  private final ScheduledThreadPoolExecutor thread;
  private final Mono<Void> close;
  private volatile boolean closed;

  final SortedMapStore store = new SortedMapStore();
  private @Nullable ScheduledFuture<?> sweep; // accessed on the thread only

  SortedMapEngine(String name, KvLimits limits) {
    this.name = name;
    this.limits = limits;
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread started = Executors.defaultThreadFactory().newThread(task);
              started.setName("sorted-map-" + name);
              started.setDaemon(true);
              return started;
            });
    thread.setRemoveOnCancelPolicy(true);
    close = Mono.fromRunnable(this::shutDown).then().subscribeOn(scheduler()).cache();
  }

  private Scheduler scheduler() {
    return Schedulers.fromExecutorService(thread);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public KvLimits limits() {
    return limits;
  }

  @Override
  public UUID historyId() {
    return historyId;
  }

  @Override
  public LongAdder userOperations() {
    return userOperations;
  }

  /** Returns the wall clock, but never less than before. */
  @Override
  public long now() {
    return clock.accumulateAndGet(System.currentTimeMillis(), Math::max);
  }

  private static KvException closedEngine() {
    return new KvException(KvErrorCode.CLOSED, "the engine is closed");
  }

  private void checkOpen() {
    if (closed) {
      throw closedEngine();
    }
  }

  // ---- reads

  private record Held(SortedMapStore.State state) implements Snapshot {
    @Override
    public Versionstamp versionstamp() {
      return Versionstamp.of(state.version());
    }

    @Override
    public void close() {} // the collector takes what no snapshot needs
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return Mono.fromSupplier(
        () -> {
          checkOpen();
          return new Held(store.state());
        });
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return Mono.fromSupplier(() -> readHere(ranges, snapshot, maxBytes));
  }

  @Override
  public ReadResult readHere(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    checkOpen();
    limits.checkRead(ranges);
    if (snapshot != null && !(snapshot instanceof Held)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, "snapshot: " + snapshot + " (expected: of this engine)");
    }
    SortedMapStore.State state = snapshot instanceof Held held ? held.state : store.state();
    return readAt(state, ranges, Math.min(maxBytes, PAGE_BYTES));
  }

  ReadResult readAt(SortedMapStore.State state, List<ReadRange> ranges, long maxBytes) {
    long now = now();
    List<RangePage> pages = new ArrayList<>();
    long left = maxBytes;
    for (ReadRange range : ranges) {
      RangePage page = page(state, range, left, now);
      pages.add(page);
      left -= page.entries().stream().mapToLong(StoredEntry::bytes).sum();
      if (left <= 0) {
        break;
      }
    }
    return new ReadResult(Versionstamp.of(state.version()), pages);
  }

  private static RangePage page(
      SortedMapStore.State state, ReadRange range, long maxBytes, long now) {
    List<StoredEntry> entries = new ArrayList<>();
    long[] left = {maxBytes};
    boolean isAll =
        EntryTree.visit(
            state.tree(),
            range.start(),
            range.end(),
            range.reverse(),
            entry -> {
              if (!SortedMapStore.isExpired(entry, now)) {
                StoredEntry read = range.keysOnly() ? withoutValue(entry) : entry;
                entries.add(read);
                left[0] -= read.bytes();
              }
              return entries.size() < range.limit() && left[0] > 0;
            });
    if (isAll || range.isPoint()) {
      return new RangePage(entries, End.RANGE);
    }
    return new RangePage(entries, entries.size() == range.limit() ? End.LIMIT : End.SIZE);
  }

  private static StoredEntry withoutValue(StoredEntry entry) {
    return new StoredEntry(entry.key(), null, entry.versionstamp(), entry.expireAt());
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return Mono.fromSupplier(
        () -> {
          checkOpen();
          limits.checkRead(List.of(new ReadRange(start, end, 1, false, true)));
          long now = now();
          long[] count = {0};
          EntryTree.visit(
              store.state().tree(),
              start,
              end,
              false,
              entry -> {
                count[0] += SortedMapStore.isExpired(entry, now) ? 0 : 1;
                return true;
              });
          return count[0];
        });
  }

  // ---- commits

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return Mono.fromSupplier(() -> execute(commit))
        .subscribeOn(scheduler())
        .onErrorMap(RejectedExecutionException.class, rejected -> closedEngine());
  }

  private CommitResult execute(Commit commit) {
    checkOpen();
    long now = now();
    limits.checkCommit(commit, now);
    if (!commit.enqueues().isEmpty()) {
      throw new KvException(KvErrorCode.UNSUPPORTED, "this engine has no queues");
    }
    CommitResult result = store.commit(commit, now);
    published();
    return result;
  }

  /** Removes expired entries, so that watches and feeds are notified. */
  private void sweep() {
    store.removeExpired(now());
    published();
  }

  /** Wakes all subscriptions after a commit, and sweeps when the next entry expires. */
  private void published() {
    subscriptions.forEach(EngineSubscription::touched);
    ScheduledFuture<?> planned = sweep;
    if (planned != null) {
      planned.cancel(false);
    }
    long at = store.nextExpiry();
    long pause = Math.max(at - now(), MIN_SWEEP_PAUSE_MILLIS);
    sweep =
        at == Long.MAX_VALUE ? null : thread.schedule(this::sweep, pause, TimeUnit.MILLISECONDS);
  }

  // ---- subscriptions

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    List<ReadRange> points = keys.stream().map(ReadRange::point).toList();
    return flux(
        subscriber -> {
          limits.checkWatch(keys);
          return new StateWatch(subscriber, this, points);
        });
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return flux(
        subscriber -> {
          limits.checkRead(List.of(new ReadRange(request.start(), request.end(), 1, false, true)));
          return new ChangeSubscription(subscriber, this, request);
        });
  }

  private <T> Flux<T> flux(Function<CoreSubscriber<? super T>, EngineSubscription<T>> factory) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> actual) {
        EngineSubscription<T> subscription;
        try {
          checkOpen();
          subscription = factory.apply(actual);
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        subscriptions.add(subscription); // first, so that it hears of each later commit
        subscription.subscribe();
        if (closed) {
          subscription.complete();
        }
      }
    };
  }

  ScheduledThreadPoolExecutor thread() {
    return thread;
  }

  void remove(EngineSubscription<?> ended) {
    subscriptions.remove(ended);
  }

  @Override
  public Mono<Void> close() {
    return close;
  }

  private void shutDown() {
    closed = true;
    ScheduledFuture<?> planned = sweep;
    if (planned != null) {
      planned.cancel(false);
    }
    subscriptions.forEach(EngineSubscription::complete);
    thread.execute(thread::shutdown); // after the last signals
  }
}
