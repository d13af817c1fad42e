package io.kvreactive.documents.internal.collection;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * Runs the batches of a load concurrently, except for batches with common ids, which run one after
 * the other. The last of several items with the same id is the one that stays.
 */
final class KeyedSerializer {
  private final Scheduler worker;

  /** The end of the last unfinished work, by id; guarded by this. */
  private final Map<ByteBuffer, Mono<Void>> last = new HashMap<>();

  KeyedSerializer(Scheduler worker) {
    this.worker = worker;
  }

  /**
   * Returns work that starts after all work taken before for any of these ids has ended. Must be
   * called in the order of the batches; the result must be subscribed to.
   */
  synchronized <T> Mono<T> take(List<ByteBuffer> ids, Mono<T> work) {
    Sinks.Empty<Void> ended = Sinks.empty();
    Mono<Void> end = ended.asMono();
    List<Mono<Void>> before = new ArrayList<>();
    for (ByteBuffer id : ids) {
      Mono<Void> other = last.put(id, end);
      if (other != null && other != end && !before.contains(other)) {
        before.add(other);
      }
    }
    Mono<T> turn = before.isEmpty() ? work : Mono.when(before).publishOn(worker).then(work);
    return turn.doFinally(
        signal -> {
          leave(ids, end);
          var unused = ended.tryEmitEmpty();
        });
  }

  private synchronized void leave(List<ByteBuffer> ids, Mono<Void> end) {
    for (ByteBuffer id : ids) {
      last.remove(id, end);
    }
  }
}
