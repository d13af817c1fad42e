package io.kvreactive.internal.engine.queue;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.QueueKeys;
import io.kvreactive.internal.store.ReadyMessage;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * All queues of a store. Durable state is in the store's records: messages, which of them are
 * leased, and the numbers of their deliveries. Waiting claims and the deadlines of leases are in
 * memory. Nothing polls: consumers are woken by commits and by one timer.
 */
public final class Queues {
  private static final Logger LOG = LoggerFactory.getLogger(Queues.class);

  /** Number of ready messages of a queue that are read at a time and kept in memory. */
  public static final int WINDOW = 1024;

  /** Maximum number of leases that are extended at a time. */
  private static final int EXTENDED_AT_ONCE = 1000;

  /** Maximum duration of a lease. */
  private static final long MAX_LEASE_MILLIS = TimeUnit.DAYS.toMillis(365);

  private final Store store;
  private final CommitSubmitter commits;
  private final Executor storeThread;
  private final LongSupplier elapsed;
  private final QueueStates states;
  private final Leases leases = new Leases();
  private final DelayTimer delayTimer;
  private final ClaimDispatcher claims;
  private final LeaseReaper leaseReaper;
  private boolean closed; // confined to the store thread

  /**
   * Creates the queues of a store.
   *
   * @param readers the threads on which messages are read and delivered
   * @param timer runs a task after a number of milliseconds, on any thread
   * @param elapsed milliseconds of the monotonic clock
   * @param window see {@link #WINDOW}
   */
  public Queues(
      Store store,
      CommitSubmitter commits,
      Executor storeThread,
      Executor readers,
      BiFunction<Long, Runnable, Future<?>> timer,
      LongSupplier elapsed,
      int window) {
    this.store = store;
    this.commits = commits;
    this.storeThread = storeThread;
    this.elapsed = elapsed;
    this.states = new QueueStates(elapsed, window, this::forgotten);
    this.delayTimer = new DelayTimer(elapsed, timer, storeThread, this::run);
    this.claims =
        new ClaimDispatcher(
            store, commits, readers, elapsed, states, leases, delayTimer, this::finishUnclaimed);
    this.leaseReaper = new LeaseReaper(store, commits, elapsed, leases, delayTimer);
  }

  /** Ends the leases from before the store was opened. Must be called on the store thread. */
  public void start() {
    leaseReaper.opened();
  }

  private void run() {
    if (closed) {
      return;
    }
    leaseReaper.run();
    states.removeIdle();
    claims.serveDue();
    if (!states.isEmpty()) {
      delayTimer.within(DelayTimer.MAX_MILLIS);
    }
  }

  private void forgotten(QueueState queue) {
    claims.remove(queue);
  }

  /**
   * Adds the messages of published commits and serves their queues. Must be called on the store
   * thread.
   */
  public void published(List<CommitRecord> published) {
    if (states.isEmpty()) {
      return;
    }
    Set<QueueState> touched = new LinkedHashSet<>();
    for (CommitRecord commit : published) {
      for (StoredChange effect : commit.effects()) {
        if (effect.value() != null && QueueKeys.isReady(effect.key())) {
          QueueState queue = states.ifPresent(QueueKeys.queueOf(effect.key()));
          if (queue != null) {
            queue.window.added(ReadyMessage.of(effect.key(), effect.value()));
            touched.add(queue);
          }
        }
      }
    }
    touched.forEach(claims::serve);
  }

  /** Leases messages; see {@link io.kvreactive.spi.KvEngine#claim}. */
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    long millis = Math.min(leaseMillis, MAX_LEASE_MILLIS);
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super List<LeasedMessage>> actual) {
        actual.onSubscribe(new Claim(queue, max, millis, actual, claims::add, Queues.this::giveUp));
      }
    };
  }

  private void giveUp(Claim claim) {
    storeThread.execute(
        () -> {
          QueueState queue = states.ifPresent(claim.queue);
          if (queue != null) {
            queue.waiting.remove(claim);
          }
        });
  }

  private void finishUnclaimed(Lease lease, Finish how) {
    finish(lease.token, how)
        .subscribe(
            ignored -> {},
            failure ->
                LOG.debug("returning messages failed; their leases end after their time", failure));
  }

  /** Extends leases; see {@link io.kvreactive.spi.KvEngine#extend}. */
  public Mono<List<LeaseToken>> extend(List<LeaseToken> tokens, long leaseMillis) {
    long millis = Math.min(leaseMillis, MAX_LEASE_MILLIS);
    return Mono.create(
        sink -> storeThread.execute(() -> extend(tokens, 0, millis, new ArrayList<>(), sink)));
  }

  /** Extends some leases at a time; the rest follow after other tasks of the store thread. */
  private void extend(
      List<LeaseToken> tokens,
      int from,
      long millis,
      List<LeaseToken> gone,
      MonoSink<List<LeaseToken>> sink) {
    if (closed) {
      sink.error(closedError());
      return;
    }
    int to = Math.min(tokens.size(), from + EXTENDED_AT_ONCE);
    long deadline = elapsed.getAsLong() + millis;
    for (LeaseToken token : tokens.subList(from, to)) {
      Lease lease = leases.find(token);
      if (lease == null || lease.finishing) {
        gone.add(token);
      } else {
        leases.extend(lease, deadline);
      }
    }
    delayTimer.within(millis);
    if (to < tokens.size()) {
      storeThread.execute(() -> extend(tokens, to, millis, gone, sink));
    } else {
      sink.success(gone);
    }
  }

  /** Ends a delivery; see {@link io.kvreactive.spi.KvEngine#finish}. */
  public Mono<Void> finish(LeaseToken token, Finish how) {
    return Mono.create(
        sink -> {
          AckCommit ackCommit = new AckCommit(leases, token, how);
          // not cancelled with the sink: a staged commit must be notified of its outcome
          commits
              .submit(
                  store -> {
                    if (closed) {
                      throw closedError();
                    }
                    return ackCommit.stage(store);
                  })
              .subscribe(
                  done -> {
                    done.published();
                    sink.success();
                  },
                  failure -> {
                    ackCommit.failed();
                    sink.error(failure);
                  });
        });
  }

  /**
   * Emits the statistics of queues; see {@link io.kvreactive.spi.KvEngine#queueStats}.
   *
   * @param longReads the executor of long reads
   */
  public Mono<List<QueueStats>> stats(Executor longReads) {
    return Mono.create(
        sink ->
            storeThread.execute(
                () -> {
                  Map<String, QueueStatsScan.Known> known = new HashMap<>();
                  for (QueueState queue : states.all()) {
                    int waiting = queue.waiting.size();
                    known.put(
                        queue.name(), new QueueStatsScan.Known(queue.window.start(), waiting));
                  }
                  try {
                    longReads.execute(() -> scan(known, sink));
                  } catch (KvException e) {
                    sink.error(e);
                  }
                }));
  }

  private void scan(Map<String, QueueStatsScan.Known> known, MonoSink<List<QueueStats>> sink) {
    List<QueueStats> found;
    try {
      found = QueueStatsScan.of(store, known);
    } catch (KvException e) {
      sink.error(e);
      return;
    } catch (RuntimeException | Error e) { // MapDB throws errors of many types
      sink.error(new KvException(KvErrorCode.INTERNAL, "reading the queues failed: " + e, e));
      return;
    }
    sink.success(found);
  }

  /**
   * Fails waiting claims and returns leased messages without counting the deliveries, in the last
   * batch. Must be called on the store thread.
   */
  public void close() {
    closed = true;
    delayTimer.cancel();
    claims.close();
    List<Lease> open = new ArrayList<>(leases.all());
    open.removeIf(lease -> lease.finishing);
    if (!open.isEmpty()) {
      commits
          .submit(store -> release(store, open))
          .subscribe(
              ignored -> {},
              failure -> LOG.debug("leased messages are returned at the next open", failure));
    }
  }

  private static boolean release(Store store, List<Lease> open) {
    store.stageQueues(
        changes -> open.forEach(lease -> changes.release(lease.queue.keys, lease.message)));
    return true;
  }

  private static KvException closedError() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }
}
