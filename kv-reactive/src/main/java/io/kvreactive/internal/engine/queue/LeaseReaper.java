package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.QueueKeys;
import io.kvreactive.internal.store.QueueMutations;
import io.kvreactive.internal.store.ReadyMessage;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.ViewCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends lost leases: those from before the store was opened, and those past their deadline. Both
 * deliveries count. Uses commits that are small enough not to delay others. Confined to the store
 * thread.
 */
final class LeaseReaper {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseReaper.class);
  private static final int MAX_PER_COMMIT = 256;
  private static final long MAX_BYTES = 1 << 20;

  /** Maximum number of leases that one scan for earlier leases reads. */
  private static final int MAX_SCANNED = 4096;

  private static final long RETRY_MILLIS = 1000;

  private final Store store;
  private final CommitSubmitter commits;
  private final LongSupplier elapsed;
  private final Leases leases;
  private final DelayTimer delayTimer;

  private long openedAt;
  private byte[] recoverFrom = QueueKeys.allLeasedEnd();
  private boolean recovering;
  private boolean expiring;

  LeaseReaper(
      Store store,
      CommitSubmitter commits,
      LongSupplier elapsed,
      Leases leases,
      DelayTimer delayTimer) {
    this.store = store;
    this.commits = commits;
    this.elapsed = elapsed;
    this.leases = leases;
    this.delayTimer = delayTimer;
  }

  /**
   * Starts ending earlier leases. Must be called before anything is leased, so that all leases
   * found are earlier ones.
   */
  void opened() {
    try (StoreSnapshot snapshot = store.snapshot()) {
      openedAt = snapshot.version();
    }
    recoverFrom = QueueKeys.allLeased();
    recover();
  }

  /** Ends the leases that are lost by now. */
  void run() {
    recover();
    expire();
  }

  private record Recovered(byte[] key, QueueKeys queue, ReadyMessage message) {}

  private void recover() {
    if (recovering || Arrays.equals(recoverFrom, QueueKeys.allLeasedEnd())) {
      return;
    }
    List<Recovered> found = new ArrayList<>();
    byte[] next = scan(found);
    if (found.isEmpty()) {
      recoverFrom = next;
      if (!Arrays.equals(next, QueueKeys.allLeasedEnd())) {
        delayTimer.within(1); // other work comes first
      }
      return;
    }
    recovering = true;
    commits
        .submit(store -> stage(store, found))
        .subscribe(
            done -> {
              recovering = false;
              recoverFrom = done < found.size() ? found.get(done).key : next;
              recover();
            },
            failure -> {
              LOG.debug("ending lost leases failed, and is retried", failure);
              recovering = false;
              delayTimer.within(RETRY_MILLIS);
            });
  }

  /** Collects earlier leases and returns the key at which the next scan starts. */
  private byte[] scan(List<Recovered> found) {
    byte[] end = QueueKeys.allLeasedEnd();
    long bytes = 0;
    int left = MAX_SCANNED;
    try (StoreSnapshot snapshot = store.snapshot()) {
      ViewCursor cursor = snapshot.enter().range(recoverFrom, end, false);
      while (cursor.next()) {
        left--;
        byte[] key = cursor.key();
        if (cursor.version() <= openedAt) { // not leased since the store was opened
          ReadyMessage message = ReadyMessage.leased(key, cursor.value());
          found.add(new Recovered(key, QueueKeys.of(QueueKeys.queueOf(key)), message));
          bytes += message.size();
        }
        if (left == 0 || found.size() == MAX_PER_COMMIT || bytes >= MAX_BYTES) {
          end = Arrays.copyOf(key, key.length + 1);
          break;
        }
      }
      snapshot.leave();
    }
    return end;
  }

  /**
   * Stages as many retries as fit a small commit: some write their message under many keys. Returns
   * their number.
   */
  private static int stage(Store store, List<Recovered> found) {
    int[] done = {0};
    store.stageQueues(
        changes -> {
          for (long bytes = 0; done[0] < found.size() && bytes < MAX_BYTES; done[0]++) {
            Recovered each = found.get(done[0]);
            bytes += retry(changes, each.queue, each.message);
          }
        });
    return done[0];
  }

  private static long retry(QueueMutations changes, QueueKeys queue, ReadyMessage message) {
    return changes.retry(queue, message.id(), message.attempt(), null);
  }

  private void expire() {
    if (expiring) {
      return;
    }
    List<Lease> lost = new ArrayList<>();
    long bytes = 0;
    for (Lease lease : leases.lost(elapsed.getAsLong(), MAX_PER_COMMIT)) {
      if (bytes < MAX_BYTES) {
        lost.add(lease);
        bytes += lease.message.size();
      }
    }
    if (lost.isEmpty()) {
      arm();
      return;
    }
    expiring = true;
    List<Lease> ending = new ArrayList<>();
    commits
        .submit(store -> stage(store, lost, ending))
        .subscribe(
            ignored -> {
              ending.forEach(leases::remove);
              expiring = false;
              expire();
            },
            failure -> {
              LOG.debug("ending lost leases failed, and is retried", failure);
              ending.forEach(lease -> lease.finishing = false);
              expiring = false;
              delayTimer.within(RETRY_MILLIS);
            });
  }

  private boolean stage(Store store, List<Lease> lost, List<Lease> ending) {
    long now = elapsed.getAsLong();
    List<Lease> still = new ArrayList<>();
    for (Lease lease : lost) {
      // it may have been finished or extended meanwhile
      if (leases.find(lease.token) == lease && !lease.finishing && lease.deadline <= now) {
        still.add(lease);
      }
    }
    store.stageQueues(
        changes -> {
          int done = 0;
          for (long bytes = 0; done < still.size() && bytes < MAX_BYTES; done++) {
            Lease lease = still.get(done);
            bytes += retry(changes, lease.queue.keys, lease.message);
          }
          ending.addAll(still.subList(0, done));
        });
    ending.forEach(lease -> lease.finishing = true);
    return true;
  }

  private void arm() {
    long next = leases.nextDeadline();
    if (next != Long.MAX_VALUE) {
      delayTimer.within(next - elapsed.getAsLong());
    }
  }
}
