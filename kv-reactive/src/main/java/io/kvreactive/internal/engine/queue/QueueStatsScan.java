package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.QueueKeys;
import io.kvreactive.internal.store.QueueMutations;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.StoreView;
import io.kvreactive.internal.store.ViewCursor;
import io.kvreactive.spi.QueueStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the statistics of all queues at one version. */
final class QueueStatsScan {
  /**
   * The state of a queue that only the store thread knows.
   *
   * @param readyStart the start of its ready messages, after the consumed ones
   */
  record Known(byte[] readyStart, int waiting) {}

  private final StoreView view;
  private final Map<String, Known> known;

  private QueueStatsScan(StoreView view, Map<String, Known> known) {
    this.view = view;
    this.known = known;
  }

  static List<QueueStats> of(Store store, Map<String, Known> known) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      try {
        return new QueueStatsScan(snapshot.enter(), known).all();
      } finally {
        snapshot.leave();
      }
    }
  }

  private List<QueueStats> all() {
    Map<String, Long> depths = new TreeMap<>();
    known.forEach((queue, state) -> depths.put(queue, 0L));
    ViewCursor cursor = view.range(QueueKeys.allDepths(), QueueKeys.allDepthsEnd(), false);
    while (cursor.next()) {
      depths.put(QueueKeys.queueOf(cursor.key()), QueueMutations.depth(cursor.value()));
    }
    List<QueueStats> all = new ArrayList<>();
    depths.forEach(
        (queue, depth) -> {
          Known state = known.get(queue);
          if (depth > 0 || state != null && state.waiting > 0) {
            all.add(of(queue, depth, state));
          }
        });
    return all;
  }

  private QueueStats of(String queue, long depth, @Nullable Known state) {
    QueueKeys keys = QueueKeys.of(queue);
    int leased = count(view.range(keys.leased(), keys.leasedEnd(), false));
    byte[] start = state == null ? keys.ready() : state.readyStart;
    byte[] end = keys.readyEnd(view.now());
    ViewCursor first = view.range(start, end, false);
    long oldest = first.next() ? view.now() - QueueKeys.readyAt(first.key()) : 0;
    int ready = count(view.range(start, end, false));
    return new QueueStats(queue, depth, leased, ready, oldest, state == null ? 0 : state.waiting);
  }

  private static int count(ViewCursor cursor) {
    int count = 0;
    while (count < QueueStats.MAX_COUNTED && cursor.next()) {
      count++;
    }
    return count;
  }
}
