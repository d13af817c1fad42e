package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeProcessor;
import io.kvreactive.index.ChangeProcessorOptions;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.internal.collection.LeaseTable.Lease;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;

/**
 * A member of a group that processes changes.
 *
 * <p>Four times per lease duration it renews its leases, takes free and expired ones, asks for
 * others, and passes on those that others have asked for. A lease of another member has expired
 * when its record has not changed for the lease duration by this process' clock, so that clocks
 * need not agree.
 */
public final class GroupMember implements ChangeProcessor {
  private static final int CYCLES_PER_LEASE = 4;
  private static final int MAX_LAG = 10_000;

  private final String id = UUID.randomUUID().toString();
  private final SignalScheduler signals;
  private final Scheduler worker;
  private final ItemChangeFeed feed;
  private final LeaseTable table;
  private final ChangeProcessorOptions options;
  private final Mono<Void> ready;
  private final Function<List<ItemChanges<ObjectNode>>, Mono<Void>> handler;
  private final Map<Integer, Run> runs = new ConcurrentHashMap<>();
  private final AtomicBoolean began = new AtomicBoolean();
  private final Sinks.One<Boolean> joined = Sinks.one();
  private final Sinks.Empty<Void> stop = Sinks.empty();
  private final Sinks.Empty<Void> ended = Sinks.empty();
  private volatile boolean isStopping;
  private final Map<Integer, Seen> seen = new HashMap<>(); // confined to the cycle

  /** The version of a lease, and the time at which it was seen first. */
  private record Seen(Versionstamp versionstamp, long nanos) {}

  /**
   * Creates a member.
   *
   * @param ready completes when the collection exists
   * @param handler handles a batch
   */
  public GroupMember(
      KvEngine engine,
      SignalScheduler signals,
      CollectionMetadataCache metadataCache,
      ItemChangeFeed feed,
      String group,
      ChangeProcessorOptions options,
      Mono<Void> ready,
      Function<List<ItemChanges<ObjectNode>>, Mono<Void>> handler) {
    this.ready = ready;
    this.signals = signals;
    this.worker = signals.worker();
    this.feed = feed;
    this.table = new LeaseTable(engine, metadataCache, group);
    this.options = options;
    this.handler = handler;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Mono<Void> start() {
    return signals.emit(
        Mono.defer(
            () -> {
              if (began.compareAndSet(false, true)) {
                begin();
              }
              return joined.asMono().then();
            }));
  }

  private void begin() {
    Duration pause = options.leaseDuration().dividedBy(CYCLES_PER_LEASE);
    Mono<Void> first =
        ready
            .then(Mono.defer(() -> table.readOrCreate(options.ranges(), options.since())))
            .flatMap(this::cycle)
            .doOnSuccess(done -> joined.tryEmitValue(true));
    Mono<Void> next =
        Mono.firstWithSignal(Mono.delay(pause, worker).then(), stop.asMono())
            .then(Mono.defer(() -> isStopping ? Mono.empty() : table.read()))
            .flatMap(this::cycle)
            .onErrorResume(e -> !isFinal(e), e -> Mono.empty()); // tried again by the next cycle
    var unused =
        first
            .then(next.repeat(() -> !isStopping).then())
            .subscribeOn(worker)
            .subscribe(done -> {}, this::end, () -> end(null));
  }

  /** Returns true if no later attempt can succeed. */
  private static boolean isFinal(Throwable failure) {
    return KvError.is(failure, IndexErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.COMPACTED)
        || KvError.is(failure, KvErrorCode.CLOSED)
        || !(failure instanceof KvError);
  }

  /** Stops all ranges, and signals the end when they have stopped. */
  private void end(@Nullable Throwable failure) {
    if (failure != null) {
      joined.tryEmitError(failure);
    }
    var unused =
        Flux.fromIterable(List.copyOf(runs.values()))
            .flatMap(run -> release(run, null).onErrorComplete()) // else the lease expires
            .then()
            .subscribe(
                done -> {},
                e -> {},
                () -> {
                  if (failure == null) {
                    joined.tryEmitValue(true);
                    ended.tryEmitEmpty();
                  } else {
                    ended.tryEmitError(failure);
                  }
                });
  }

  /** Ends this member because a range cannot continue. */
  private void fail(Throwable failure) {
    joined.tryEmitError(failure);
    ended.tryEmitError(failure);
    leave();
  }

  private void leave() {
    isStopping = true;
    stop.tryEmitEmpty();
  }

  @Override
  public Mono<Void> ended() {
    return signals.emit(ended.asMono());
  }

  @Override
  public Mono<Void> close() {
    return signals.emit(
        Mono.defer(
            () -> {
              if (began.compareAndSet(false, true)) {
                joined.tryEmitValue(true);
                ended.tryEmitEmpty();
              }
              leave();
              return ended.asMono().onErrorComplete();
            }));
  }

  @Override
  public Mono<List<RangeState>> state() {
    return signals.emit(
        table
            .read()
            .flatMap(
                leases ->
                    Flux.fromIterable(leases)
                        .concatMap(lease -> state(lease, leases.size()))
                        .collectList()));
  }

  private Mono<RangeState> state(Lease lease, int ranges) {
    PartitionSelection partition = PartitionSelection.ofHashes(lease.range(), ranges);
    return lag(partition, lease.continuation(), 0)
        .expand( // a page also ends after many changes of other ranges
            lag ->
                lag.hasMore() && lag.changes() < MAX_LAG
                    ? lag(partition, lag.position(), lag.changes())
                    : Mono.empty())
        .last()
        .map(
            lag ->
                new RangeState(
                    lease.range(),
                    lease.owner(),
                    lease.continuation(),
                    lag.changes(),
                    lag.hasMore()));
  }

  /** The number of changes up to a position. */
  private record Lag(int changes, Versionstamp position, boolean hasMore) {}

  private Mono<Lag> lag(PartitionSelection partition, Versionstamp since, int counted) {
    return feed.page(options.mode(), partition, since, MAX_LAG - counted)
        .map(
            page ->
                new Lag(
                    counted
                        + page.commits().stream().mapToInt(commit -> commit.changes().size()).sum(),
                    page.continuation(),
                    page.hasMore()));
  }

  // ---- leases

  private Mono<Void> cycle(List<Lease> leases) {
    if (leases.isEmpty()) { // of a collection that was dropped and created again
      return table.readOrCreate(options.ranges(), options.since()).then();
    }
    Set<String> members = new HashSet<>(Set.of(id));
    List<Lease> free = new ArrayList<>();
    Map<String, List<Lease>> others = new HashMap<>();
    for (Lease lease : leases) {
      String owner = lease.owner();
      if (owner == null || owner.equals(id)) {
        if (owner == null || !runs.containsKey(lease.range())) {
          free.add(lease);
        }
      } else if (hasExpired(lease)) {
        free.add(lease);
      } else {
        members.add(owner);
        others.computeIfAbsent(owner, key -> new ArrayList<>()).add(lease);
      }
    }
    int most = (leases.size() + members.size() - 1) / members.size();
    int least = leases.size() / members.size();
    return Flux.fromIterable(List.copyOf(runs.values()))
        .concatMap(this::renew)
        .thenMany(Flux.fromIterable(free))
        .takeWhile(lease -> runs.size() < most)
        .concatMap(lease -> take(lease, leases.size()), 1)
        .thenMany(Flux.defer(() -> Flux.fromIterable(wanted(others, least))))
        .concatMap(this::request)
        .then();
  }

  private boolean hasExpired(Lease lease) {
    long now = System.nanoTime();
    Seen last = seen.get(lease.range());
    if (last == null || !last.versionstamp().equals(lease.versionstamp())) {
      last = new Seen(lease.versionstamp(), now);
      seen.put(lease.range(), last);
    }
    return now - last.nanos() > options.leaseDuration().toNanos();
  }

  /** Renews a lease, and passes it on if another member wants it. */
  private Mono<Void> renew(Run run) {
    return table
        .update(run.range, lease -> id.equals(lease.owner()) ? lease.at(run.handled) : null)
        .map(lease -> lease.wanted() == null ? Mono.<Void>empty() : release(run, lease.wanted()))
        .defaultIfEmpty(run.stop()) // lost
        .doOnNext(
            stopping -> {
              var unused = stopping.subscribe(done -> {}, this::ignore);
            })
        .then();
  }

  private void ignore(Throwable failure) {
    // the lease expires, and its range continues from the stored position
  }

  private Mono<Void> take(Lease free, int ranges) {
    return table
        .update(
            free.range(),
            lease -> lease.versionstamp().equals(free.versionstamp()) ? lease.ownedBy(id) : null)
        .doOnNext(
            lease -> {
              Run run = new Run(lease, ranges);
              runs.put(lease.range(), run);
              run.begin();
            })
        .then();
  }

  /** Returns leases of members that have more than a fair share. */
  private List<Lease> wanted(Map<String, List<Lease>> others, int least) {
    List<Lease> wanted = new ArrayList<>();
    int missing = least - runs.size();
    for (List<Lease> their : others.values()) {
      int spare = their.size() - least;
      for (Lease lease : their) {
        if (lease.wanted() != null) {
          spare--;
          missing -= id.equals(lease.wanted()) ? 1 : 0;
        }
      }
      for (Lease lease : their) {
        if (spare > 0 && missing > 0 && lease.wanted() == null) {
          spare--;
          missing--;
          wanted.add(lease);
        }
      }
    }
    return wanted;
  }

  private Mono<Void> request(Lease other) {
    return table
        .update(
            other.range(),
            lease ->
                lease.wanted() == null && lease.owner() != null && !id.equals(lease.owner())
                    ? lease.wantedBy(id)
                    : null)
        .then();
  }

  /**
   * Stops a range after the batch in progress and releases its lease.
   *
   * @param next the member to which the lease passes; null for none
   */
  private Mono<Void> release(Run run, @Nullable String next) {
    return run.stop()
        .then(
            Mono.defer(
                () ->
                    table.update(
                        run.range,
                        lease ->
                            id.equals(lease.owner()) ? lease.at(run.handled).ownedBy(next) : null)))
        .then();
  }

  // ---- changes

  /** The processing of one leased range. */
  private final class Run {
    private final int range;
    private final PartitionSelection partition;
    private final Sinks.Empty<Void> stopping = Sinks.empty();
    private final Sinks.Empty<Void> stopped = Sinks.empty();
    private volatile boolean isStopping;
    private volatile Versionstamp handled; // the position up to which all changes are handled

    Run(Lease lease, int ranges) {
      this.range = lease.range();
      this.partition = PartitionSelection.ofHashes(range, ranges);
      this.handled = lease.continuation();
    }

    void begin() {
      Mono<Void> work =
          Flux.usingWhen(
                  feed.watch(partition),
                  watch -> batch(watch).repeat(() -> !isStopping).then().flux(),
                  PartitionWatches.Watch::close)
              .then()
              .retryWhen(backoff(e -> !isFinal(e)));
      var unused =
          work.subscribeOn(worker)
              .doFinally(
                  end -> {
                    runs.remove(range, this);
                    stopped.tryEmitEmpty();
                  })
              .subscribe(
                  done -> {},
                  e -> {
                    if (!(e instanceof StoppedException)) {
                      fail(e);
                    }
                  });
    }

    /** Completes when the batch in progress has been handled, or its handler has failed. */
    Mono<Void> stop() {
      return Mono.defer(
          () -> {
            isStopping = true;
            stopping.tryEmitEmpty();
            return stopped.asMono();
          });
    }

    /** Handles the next batch, or waits for changes. */
    private Mono<Void> batch(PartitionWatches.Watch watch) {
      return Mono.defer(
          () -> {
            watch.reset();
            return feed.page(options.mode(), partition, handled, options.batchItems())
                .flatMap(
                    page -> {
                      if (page.commits().isEmpty()) {
                        handled = page.continuation();
                        return page.hasMore() ? Mono.empty() : idle(watch);
                      }
                      return handle(page.commits()).then(store(page.continuation()));
                    });
          });
    }

    private Mono<Void> idle(PartitionWatches.Watch watch) {
      return watch
          .next(handled)
          .doOnNext(
              wake -> {
                if (wake.position().compareTo(handled) > 0) {
                  handled = wake.position();
                }
              })
          .switchIfEmpty(Mono.defer(this::closed)) // the store is closed
          .then()
          .takeUntilOther(stopping.asMono());
    }

    private Mono<PartitionWatches.Wake> closed() {
      return isStopping
          ? Mono.empty()
          : Mono.error(new KvException(KvErrorCode.CLOSED, "the store is closed"));
    }

    private Mono<Void> handle(List<ItemChanges<ObjectNode>> commits) {
      return Mono.defer(() -> handler.apply(commits))
          .retryWhen(backoff(e -> true))
          .publishOn(worker);
    }

    /** Stores the position after a batch. If the lease was lost, another member continues. */
    private Mono<Void> store(Versionstamp position) {
      return table
          .update(range, lease -> id.equals(lease.owner()) ? lease.at(position) : null)
          .switchIfEmpty(Mono.error(StoppedException::new))
          .doOnNext(stored -> handled = position)
          .then();
    }

    /** Pauses longer after each failure. Ends when the range is stopped. */
    private Retry backoff(Predicate<Throwable> retried) {
      return Retry.from(
          failures ->
              failures.concatMap(
                  failed -> {
                    Throwable failure = failed.failure();
                    if (failure instanceof StoppedException || isStopping) {
                      return Mono.error(new StoppedException());
                    }
                    if (!retried.test(failure)) {
                      return Mono.error(failure);
                    }
                    return Mono.firstWithSignal(
                        Mono.delay(pause(failed.totalRetriesInARow()), worker),
                        stopping.asMono().then(Mono.error(StoppedException::new)));
                  }));
    }

    private Duration pause(long retries) {
      long nanos = options.minBackoff().toNanos();
      long most = options.maxBackoff().toNanos();
      for (long i = 0; i < retries && nanos < most; i++) {
        nanos *= 2;
      }
      return Duration.ofNanos(Math.min(nanos, most));
    }
  }

  /** Ends the processing of a range that was stopped, or whose lease was lost. */
  private static final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
      super("stopped", null, false, false);
    }
  }
}
