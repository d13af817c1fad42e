package io.kvreactive.index.internal.collection;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * Lets the batches of a load go on side by side, but one after the other where they have ids in
 * common: the last of several items of one id is the one that stays.
 */
final class KeyedSerializer {
  private final Scheduler worker;

  /** By id, the end of what was begun last; guarded by this. Only of what has not ended. */
  private final Map<ByteBuffer, Mono<Void>> last = new HashMap<>();

  KeyedSerializer(Scheduler worker) {
    this.worker = worker;
  }

  /**
   * What to do when all that was taken before for one of these ids has ended. To be called in the
   * order of batches; what is returned is to be subscribed to.
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
