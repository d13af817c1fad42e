package io.kvreactive.documents.internal.collection;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeGroup;
import io.kvreactive.documents.ChangeGroup.Lease;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.ChangeProcessorOptions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.internal.shared.SubscriberContext;
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
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;

/**
 * A member of a group that processes changes.
 *
 * <p>Four times per lease duration it renews its leases, takes free and expired ones, asks for
 * others, and passes on those that others have asked for. A lease of another member has expired if
 * its record has not changed for the lease duration by the clock of this process. So clocks need
 * not agree.
 */
public final class GroupMember<T> implements ChangeProcessor {
  private static final int CYCLES_PER_LEASE = 4;
  private static final int MAX_LAG = 10_000;

  private final String id = UUID.randomUUID().toString();
  private final Scheduler worker;
  private final SubscriberContext subscriberContext;
  private final ChangeGroup<T> group;
  private final ChangeProcessorOptions options;
  private final Mono<Void> ready;
  private final Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler;
  private final Map<Integer, Run> runs = new ConcurrentHashMap<>();
  private final AtomicBoolean began = new AtomicBoolean();
  private final Sinks.One<Boolean> joined = Sinks.one();
  private final Sinks.Empty<Void> stop = Sinks.empty();
  private final Sinks.Empty<Void> ended = Sinks.empty();
  private volatile boolean isStopping;
  private final Map<Integer, Seen> seen = new HashMap<>(); // confined to the cycle

  /** The version of a lease, and the time at which it was seen first. */
  private record Seen(Versionstamp versionstamp, long nanos) {}

  /** Creates a member, see {@link ChangeGroup#member}. */
  public GroupMember(
      ChangeGroup<T> group,
      Scheduler worker,
      ChangeProcessorOptions options,
      Mono<Void> ready,
      Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler) {
    this.group = group;
    this.worker = worker;
    this.subscriberContext = new SubscriberContext(worker::schedule);
    this.options = options;
    this.ready = ready;
    this.handler = handler;
  }

  private <R> Mono<R> emit(Mono<R> source) {
    return subscriberContext.apply(source.subscribeOn(worker));
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Mono<Void> start() {
    return emit(
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
            .then(Mono.defer(() -> group.create(options.ranges(), options.since())))
            .flatMap(this::cycle)
            .doOnSuccess(done -> joined.tryEmitValue(true));
    Mono<Void> next =
        Mono.firstWithSignal(Mono.delay(pause, worker).then(), stop.asMono())
            .then(Mono.defer(() -> isStopping ? Mono.empty() : group.leases()))
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
    return KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.COMPACTED)
        || KvError.is(failure, KvErrorCode.CLOSED)
        || KvError.is(failure, KvErrorCode.UNAUTHENTICATED)
        || KvError.is(failure, KvErrorCode.FORBIDDEN)
        || KvError.is(failure, KvErrorCode.UNSUPPORTED)
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
    return emit(ended.asMono());
  }

  @Override
  public Mono<Void> close() {
    return emit(
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
    return emit(
        group
            .leases()
            .flatMap(
                leases ->
                    Flux.fromIterable(leases)
                        .concatMap(lease -> state(lease, leases.size()))
                        .collectList()));
  }

  private Mono<RangeState> state(Lease lease, int ranges) {
    FeedRange range = new FeedRange(lease.range(), ranges);
    return lag(range, lease.continuation(), 0)
        .expand( // a page also ends after many changes of other ranges
            lag ->
                lag.hasMore() && lag.changes() < MAX_LAG
                    ? lag(range, lag.position(), lag.changes())
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

  private Mono<Lag> lag(FeedRange range, Versionstamp since, int counted) {
    return group
        .page(options.mode(), range, since, MAX_LAG - counted)
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
      return group.create(options.ranges(), options.since()).then();
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

  /** Returns the lease with another owner, which no member wants. */
  private static Lease ownedBy(Lease lease, @Nullable String member) {
    return new Lease(lease.range(), lease.versionstamp(), member, null, lease.continuation());
  }

  /** Returns the lease with a later position, or as it is if the position is not later. */
  private static Lease at(Lease lease, Versionstamp position) {
    return isAfter(position, lease.continuation())
        ? new Lease(lease.range(), lease.versionstamp(), lease.owner(), lease.wanted(), position)
        : lease;
  }

  /** Compares positions: one within a commit is before the position after the commit. */
  private static boolean isAfter(Versionstamp one, Versionstamp other) {
    return one.version() == other.version()
        ? other.order() > 0 && (one.order() == 0 || one.order() > other.order())
        : one.compareTo(other) > 0;
  }

  /**
   * Changes a lease of this member and emits it as stored; empty if this member has lost it.
   *
   * @param known the lease as it was seen last; if it has changed since, it is read again
   */
  private Mono<Lease> update(Lease known, Function<Lease, Lease> change) {
    return !id.equals(known.owner())
        ? Mono.empty()
        : group
            .replace(change.apply(known))
            .switchIfEmpty(
                Mono.defer(
                    () ->
                        group
                            .leases()
                            .flatMap(
                                leases ->
                                    known.range() < leases.size()
                                        ? update(leases.get(known.range()), change)
                                        : Mono.empty())));
  }

  /** Renews a lease, and passes it on if another member wants it. */
  private Mono<Void> renew(Run run) {
    return run.update(lease -> at(lease, run.handled))
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
    return group
        .replace(ownedBy(free, id))
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
    return group
        .replace(
            new Lease(other.range(), other.versionstamp(), other.owner(), id, other.continuation()))
        .then();
  }

  /**
   * Stops a range after the batch in progress and releases its lease.
   *
   * @param next the member to which the lease passes; null for none
   */
  private Mono<Void> release(Run run, @Nullable String next) {
    return run.stop()
        .then(Mono.defer(() -> run.update(lease -> ownedBy(at(lease, run.handled), next))))
        .then();
  }

  // ---- changes

  /** The processing of one leased range. */
  private final class Run {
    private final FeedRange range;
    private final Sinks.Empty<Void> stopping = Sinks.empty();
    private final Sinks.Empty<Void> stopped = Sinks.empty();
    private volatile boolean isStopping;
    private volatile Lease lease; // as it was stored last
    private volatile Versionstamp handled; // the position up to which all changes are handled

    Run(Lease lease, int ranges) {
      this.range = new FeedRange(lease.range(), ranges);
      this.lease = lease;
      this.handled = lease.continuation();
    }

    void begin() {
      Mono<Void> work =
          Flux.usingWhen(
                  group.reader(options.mode(), range, options.batchItems()),
                  reader -> batch(reader).repeat(() -> !isStopping).then().flux(),
                  ChangeGroup.Reader::close)
              .then()
              .retryWhen(backoff(e -> !isFinal(e)));
      var unused =
          work.subscribeOn(worker)
              .doFinally(
                  end -> {
                    runs.remove(range.index(), this);
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

    /** Changes the stored lease, see {@link GroupMember#update}. */
    Mono<Lease> update(Function<Lease, Lease> change) {
      return Mono.defer(() -> GroupMember.this.update(lease, change))
          .doOnNext(stored -> lease = stored);
    }

    /** Handles the next batch, or waits for changes. */
    private Mono<Void> batch(ChangeGroup.Reader<T> reader) {
      return Mono.defer(() -> reader.next(handled))
          .takeUntilOther(stopping.asMono())
          .flatMap(
              page -> {
                if (page.commits().isEmpty()) {
                  handled = page.continuation();
                  return Mono.empty();
                }
                return handle(page.commits()).then(store(page.continuation()));
              });
    }

    private Mono<Void> handle(List<ItemChanges<T>> commits) {
      return Mono.defer(() -> Flux.from(handler.apply(commits)).then())
          .retryWhen(backoff(e -> true))
          .publishOn(worker);
    }

    /** Stores the position after a batch. If the lease was lost, another member continues. */
    private Mono<Void> store(Versionstamp position) {
      return update(found -> at(found, position))
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
