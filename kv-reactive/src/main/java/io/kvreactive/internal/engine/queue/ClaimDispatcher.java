package io.kvreactive.internal.engine.queue;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.QueueMutations;
import io.kvreactive.internal.store.QueuedMessage;
import io.kvreactive.internal.store.ReadyMessage;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.StoreView;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeasedMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns ready messages to waiting claims. One commit serves all claims of a queue. When it is
 * published, the leased messages are read and delivered on a reader thread. Confined to the store
 * thread, unless stated otherwise.
 */
final class ClaimDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimDispatcher.class);

  /** Maximum number of messages that one commit leases. */
  private static final int MAX_PER_COMMIT = 4096;

  /** Maximum bytes of messages that one claim is given. */
  private static final long MAX_BYTES = 4 << 20;

  private static final long RETRY_MILLIS = 1000;

  /** Maximum number of queues that are served at a time. */
  private static final int SERVED_AT_ONCE = 32;

  private final Store store;
  private final CommitSubmitter commits;
  private final Executor readers;
  private final LongSupplier elapsed;
  private final QueueStates states;
  private final Leases leases;
  private final DelayTimer delayTimer;
  private final BiConsumer<Lease, Finish> finish;
  private final TreeSet<QueueState> due =
      new TreeSet<>(
          Comparator.<QueueState>comparingLong(queue -> queue.dueAt)
              .thenComparing(QueueState::name));
  private boolean closed;

  /**
   * Creates a dispatcher.
   *
   * @param elapsed milliseconds of the monotonic clock
   * @param finish ends a lease whose messages were not delivered; called on any thread
   */
  ClaimDispatcher(
      Store store,
      CommitSubmitter commits,
      Executor readers,
      LongSupplier elapsed,
      QueueStates states,
      Leases leases,
      DelayTimer delayTimer,
      BiConsumer<Lease, Finish> finish) {
    this.store = store;
    this.commits = commits;
    this.readers = readers;
    this.elapsed = elapsed;
    this.states = states;
    this.leases = leases;
    this.delayTimer = delayTimer;
    this.finish = finish;
  }

  /** Adds a claim. Thread-safe. */
  void add(Claim claim) {
    submit(new Round(claim.queue, claim));
  }

  /**
   * Serves the claims of a queue if a message is ready, else sets the timer. Must be called on the
   * store thread.
   */
  void serve(QueueState queue) {
    if (queue.waiting.isEmpty() || queue.serving) {
      return;
    }
    long nextAt = queue.window.nextAt(store);
    long now = store.clock().millis();
    if (nextAt <= now) {
      queue.serving = true;
      submit(new Round(queue.name(), null));
    } else if (nextAt != Long.MAX_VALUE) {
      serveAt(queue, nextAt);
      delayTimer.within(nextAt - now);
    }
  }

  private void serveAt(QueueState queue, long millis) {
    remove(queue);
    queue.dueAt = millis;
    due.add(queue);
  }

  /** Removes a queue from those that are served later. Must be called on the store thread. */
  void remove(QueueState queue) {
    due.remove(queue);
    queue.dueAt = Long.MAX_VALUE;
  }

  /**
   * Serves the queues whose messages have become ready, some at a time. Must be called on the store
   * thread.
   */
  void serveDue() {
    long now = store.clock().millis();
    for (int i = 0; i < SERVED_AT_ONCE && !due.isEmpty() && due.first().dueAt <= now; i++) {
      QueueState queue = due.first();
      remove(queue);
      serve(queue);
    }
    if (!due.isEmpty()) {
      delayTimer.within(due.first().dueAt - now);
    }
  }

  /** Fails all waiting claims with CLOSED. Must be called on the store thread. */
  void close() {
    closed = true;
    KvException failure = new KvException(KvErrorCode.CLOSED, "the store is closed");
    List<Claim> waiting = new ArrayList<>();
    states.all().forEach(queue -> waiting.addAll(queue.waiting));
    waiting.forEach(claim -> claim.fail(failure));
  }

  private void submit(Round round) {
    commits.submit(round::stage).subscribe(Round::published, round::failed);
  }

  private record Grant(Claim claim, List<ReadyMessage> messages) {}

  /**
   * A commit that serves the claims of one queue. Confined to the store thread, except {@link
   * #failed} after the store was closed.
   */
  private final class Round {
    private final String name;
    private final @Nullable Claim newcomer;
    private final List<Grant> grants = new ArrayList<>();
    private @Nullable QueueState queue;

    Round(String name, @Nullable Claim newcomer) {
      this.name = name;
      this.newcomer = newcomer;
    }

    Round stage(Store store) {
      if (closed) {
        throw new KvException(KvErrorCode.CLOSED, "the store is closed");
      }
      QueueState served = states.get(name);
      queue = served;
      if (newcomer == null) {
        served.serving = false;
      } else if (!newcomer.ended()) {
        served.waiting.add(newcomer);
      }
      store.stageQueues(changes -> grant(served, changes));
      return this;
    }

    private void grant(QueueState served, QueueMutations changes) {
      long now = store.clock().millis();
      int left = MAX_PER_COMMIT;
      for (Iterator<Claim> all = served.waiting.iterator(); left > 0 && all.hasNext(); ) {
        Claim claim = all.next();
        if (claim.ended()) {
          all.remove();
          continue;
        }
        List<ReadyMessage> messages =
            served.window.take(store, Math.min(claim.max, left), now, MAX_BYTES);
        if (messages.isEmpty()) {
          break;
        }
        all.remove();
        grants.add(new Grant(claim, messages));
        messages.forEach(message -> changes.lease(served.keys, message));
        left -= messages.size();
      }
    }

    void published() {
      QueueState served = states.get(name);
      for (Grant grant : grants) {
        served.window.gone(grant.messages);
        List<Lease> given = new ArrayList<>(grant.messages.size());
        long deadline = elapsed.getAsLong() + grant.claim.leaseMillis;
        for (ReadyMessage message : grant.messages) {
          Lease lease = new Lease(served, message, leases.nextSerial());
          leases.add(lease, deadline);
          given.add(lease);
        }
        delayTimer.within(grant.claim.leaseMillis);
        load(grant.claim, given);
      }
      serve(served);
    }

    void failed(Throwable failure) {
      if (newcomer != null) {
        newcomer.fail(failure);
      }
      if (KvError.is(failure, KvErrorCode.CLOSED)) {
        return; // possibly on another thread, and the state is not used any more
      }
      LOG.debug("leasing messages of queue \"{}\" failed", name, failure);
      QueueState served = queue;
      if (served == null) { // failed before staging
        served = states.get(name);
        served.serving = false;
      }
      if (newcomer != null) {
        served.waiting.remove(newcomer);
      }
      for (Grant grant : grants) {
        served.window.putBack(grant.messages);
        grant.claim.fail(failure);
      }
      serveAt(served, store.clock().millis() + RETRY_MILLIS);
      delayTimer.within(RETRY_MILLIS);
    }
  }

  private void load(Claim claim, List<Lease> given) {
    try {
      readers.execute(() -> deliver(claim, given));
    } catch (KvException e) { // closing
      claim.fail(e);
    }
  }

  /** Delivers leased messages. Must be called on a reader thread. */
  private void deliver(Claim claim, List<Lease> given) {
    boolean delivered = false;
    try {
      List<LeasedMessage> messages = claim.ended() ? List.of() : read(given);
      if (messages.isEmpty() && !claim.ended()) {
        add(claim); // waits again
        return;
      }
      delivered = claim.deliver(messages);
    } catch (KvException e) {
      claim.fail(e);
    } catch (RuntimeException | Error e) { // any throwable: the consumer must be notified
      claim.fail(new KvException(KvErrorCode.INTERNAL, "reading messages failed: " + e, e));
    }
    if (!delivered) {
      given.forEach(lease -> finish.accept(lease, new Finish.Release()));
    }
  }

  private List<LeasedMessage> read(List<Lease> given) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      StoreView view = snapshot.enter();
      try {
        List<LeasedMessage> messages = new ArrayList<>(given.size());
        for (Lease lease : given) {
          LeasedMessage message = read(view, lease);
          if (message != null) {
            messages.add(message);
          }
        }
        return messages;
      } finally {
        snapshot.leave();
      }
    }
  }

  /**
   * Returns a leased message, or null if it does not exist any more: the lease has ended meanwhile,
   * and another consumer has finished the message.
   */
  private static @Nullable LeasedMessage read(StoreView view, Lease lease) {
    VersionedValue stored = view.get(lease.queue.keys.message(lease.message.id()));
    if (stored == null || stored.value() == null) {
      LOG.debug("leased message {} no longer exists", lease.message.id());
      return null;
    }
    QueuedMessage message = QueuedMessage.read(stored.value());
    int attempt = lease.message.attempt();
    return new LeasedMessage(
        lease.token, message.payload(), attempt, message.isLast(attempt), message.enqueuedAt());
  }
}
