package io.kvreactive.internal.engine.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queues that are consumed; what is not used for a while is forgotten. Confined to the store
 * thread.
 */
final class QueueStates {
  private static final long KEPT_MILLIS = 60_000;

  /** Between two looks for those that are idle. */
  private static final long LOOK_MILLIS = 1000;

  /**
   * Above this many, those that are idle are forgotten at once, so that names alone cost little.
   */
  private static final int MANY = 1024;

  private final Map<String, QueueState> states = new HashMap<>();
  private final LongSupplier elapsed;
  private final int windowSize;
  private final Consumer<QueueState> forgotten;
  private int most = MANY;
  private long lookedAt;

  /**
   * @param windowSize see {@link ReadyWindow}
   * @param forgotten told of each that is forgotten
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
        forgetIdle(0);
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

  /** Forgets those that have not been used for a while, from time to time. */
  void forgetIdle() {
    long now = elapsed.getAsLong();
    if (now - lookedAt >= LOOK_MILLIS) {
      lookedAt = now;
      forgetIdle(KEPT_MILLIS);
    }
  }

  private void forgetIdle(long keptMillis) {
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
