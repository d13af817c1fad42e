package io.kvreactive.internal.engine.queue;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.QueueMutations;
import io.kvreactive.internal.store.Store;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import org.jspecify.annotations.Nullable;

/** A commit that ends one lease. Confined to the store thread. */
final class AckCommit {
  private final Leases leases;
  private final LeaseToken token;
  private final Finish how;
  private @Nullable Lease lease;

  AckCommit(Leases leases, LeaseToken token, Finish how) {
    this.leases = leases;
    this.token = token;
    this.how = how;
  }

  /**
   * Adds the changes to the batch.
   *
   * @throws KvException LEASE_LOST
   */
  AckCommit stage(Store store) {
    Lease found = leases.find(token);
    boolean again = how instanceof Finish.Ack && leases.wasAcked(token);
    if (again) {
      return this;
    }
    if (found == null || found.finishing) {
      throw new KvException(
          KvErrorCode.LEASE_LOST,
          "the lease of message %s of queue \"%s\" has ended".formatted(token.id(), token.queue()));
    }
    store.stageQueues(changes -> change(found, changes));
    lease = found;
    found.finishing = true;
    return this;
  }

  private void change(Lease found, QueueMutations changes) {
    if (how instanceof Finish.Ack) {
      changes.remove(found.queue.keys, found.message.id());
    } else if (how instanceof Finish.Retry retry) {
      changes.retry(
          found.queue.keys, found.message.id(), found.message.attempt(), retry.afterMillis());
    } else {
      changes.release(found.queue.keys, found.message);
    }
  }

  void published() {
    Lease found = lease;
    if (found != null) {
      if (how instanceof Finish.Ack) {
        leases.acked(found);
      } else {
        leases.remove(found);
      }
    }
  }

  void failed() {
    Lease found = lease;
    if (found != null) {
      found.finishing = false;
    }
  }
}
