package io.kvreactive.internal.engine.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The states of consumed queues; unused ones are removed after a while. Confined to the store
 * thread.
 */
final class QueueStates {
  private static final long KEPT_MILLIS = 60_000;

  /** Time between two searches for idle queues. */
  private static final long LOOK_MILLIS = 1000;

  /**
   * Number of queues above which idle ones are removed at once, so that a client cannot fill the
   * memory with names.
   */
  private static final int MANY = 1024;

  private final Map<String, QueueState> states = new HashMap<>();
  private final LongSupplier elapsed;
  private final int windowSize;
  private final Consumer<QueueState> forgotten;
  private int most = MANY;
  private long lookedAt;

  /**
   * Creates an empty set of queues.
   *
   * @param windowSize the size of a {@link ReadyWindow}
   * @param forgotten called with each queue that is removed
   */
  QueueStates(LongSupplier elapsed, int windowSize, Consumer<QueueState> forgotten) {
    this.windowSize = windowSize;
    this.elapsed = elapsed;
    this.forgotten = forgotten;
    this.lookedAt = elapsed.getAsLong();
  }

  QueueState get(String queue) {
    QueueState state = states.get(queue);
    if (state == null) {
      if (states.size() >= most) {
        removeIdle(0);
        most = Math.max(MANY, 2 * states.size());
      }
      state = new QueueState(queue, windowSize);
      states.put(queue, state);
    }
    state.usedAt = elapsed.getAsLong();
    return state;
  }

  @Nullable QueueState ifPresent(String queue) {
    return states.get(queue);
  }

  boolean isEmpty() {
    return states.isEmpty();
  }

  Collection<QueueState> all() {
    return states.values();
  }

  /** Removes queues that have not been used for a while, from time to time. */
  void removeIdle() {
    long now = elapsed.getAsLong();
    if (now - lookedAt >= LOOK_MILLIS) {
      lookedAt = now;
      removeIdle(KEPT_MILLIS);
    }
  }

  private void removeIdle(long keptMillis) {
    long now = elapsed.getAsLong();
    for (Iterator<QueueState> all = states.values().iterator(); all.hasNext(); ) {
      QueueState state = all.next();
      if (state.isIdle() && now - state.usedAt >= keptMillis) {
        all.remove();
        forgotten.accept(state);
      }
    }
  }
}
