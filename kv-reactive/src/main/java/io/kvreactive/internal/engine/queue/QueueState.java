package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.QueueKeys;
import java.util.LinkedHashSet;
import java.util.Set;

/** A queue that somebody consumes, or did lately. Confined to the store thread. */
final class QueueState {
  final QueueKeys keys;
  final ReadyWindow window;

  /** Who waits, first come first served. */
  final Set<Claim> waiting = new LinkedHashSet<>();

  int leased;
  boolean serving; // a commit that serves those who wait is on its way
  long usedAt; // by the clock that does not jump

  /** When somebody who waits is to be served next, by the store's time; MAX_VALUE for never. */
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
