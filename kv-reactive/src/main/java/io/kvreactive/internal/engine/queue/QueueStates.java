package io.kvreactive.internal.engine.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The queues that are consumed; what is not used for a while is forgotten. Store thread. */
final class QueueStates {
  private static final long KEPT_MILLIS = 60_000;

  private final Map<String, QueueState> states = new HashMap<>();
  private final LongSupplier elapsed;
  private final int windowSize;

  /**
   * @param windowSize see {@link ReadyWindow}
   */
  QueueStates(LongSupplier elapsed, int windowSize) {
    this.windowSize = windowSize;
    this.elapsed = elapsed;
  }

  QueueState get(String queue) {
    QueueState state = states.computeIfAbsent(queue, name -> new QueueState(name, windowSize));
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

  void forgetIdle() {
    long now = elapsed.getAsLong();
    states.values().removeIf(state -> state.isIdle() && now - state.usedAt >= KEPT_MILLIS);
  }
}
