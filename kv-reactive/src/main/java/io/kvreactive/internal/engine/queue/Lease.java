package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.ReadyMessage;
import io.kvreactive.spi.LeaseToken;

/** A lease: the temporary right of a consumer to a message. Confined to the store thread. */
final class Lease {
  final QueueState queue;
  final ReadyMessage message;
  final LeaseToken token;
  long deadline; // by the monotonic clock
  boolean finishing; // a commit that ends it is in progress

  Lease(QueueState queue, ReadyMessage message, long serial) {
    this.queue = queue;
    this.message = message;
    this.token = new LeaseToken(queue.name(), message.id().toString(), serial);
  }
}
