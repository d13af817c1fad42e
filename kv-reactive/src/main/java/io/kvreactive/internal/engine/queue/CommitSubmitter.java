package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.Store;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** How the queues commit: in the same batches as everybody else. */
public interface CommitSubmitter {
  /**
   * Adds a commit to the next batch.
   *
   * @param stage stages it, on the store thread
   * @return emits what it came to on the store thread, when it is published; or fails there, and
   *     then it has had no effect
   */
  <T> Mono<T> submit(Function<Store, T> stage);
}
