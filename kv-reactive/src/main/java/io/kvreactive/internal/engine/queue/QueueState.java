package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.QueueKeys;
import java.util.LinkedHashSet;
import java.util.Set;

/** The state of a queue that is, or was recently, consumed. Confined to the store thread. */
final class QueueState {
  final QueueKeys keys;
  final ReadyWindow window;

  /** The waiting claims, in order of arrival. */
  final Set<Claim> waiting = new LinkedHashSet<>();

  int leased;
  boolean serving; // a commit that serves the waiting claims is in progress
  long usedAt; // by the monotonic clock

  /**
   * The time at which the waiting claims are to be served next, by the store's clock; MAX_VALUE for
   * never.
   */
  long dueAt = Long.MAX_VALUE;

  QueueState(String name, int windowSize) {
    this.keys = QueueKeys.of(name);
    this.window = new ReadyWindow(keys, windowSize);
  }

  String name() {
    return keys.queue();
  }

  boolean isIdle() {
    return waiting.isEmpty() && leased == 0 && !serving;
  }
}
