package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.Store;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Submits commits of queues, which share batches with all other commits. */
public interface CommitSubmitter {
  /**
   * Adds a commit to the next batch. Emits the result on the store thread when the batch is
   * published. Fails there if the batch cannot be published; then the commit has had no effect.
   *
   * @param stage the function that stages the commit, on the store thread
   */
  <T> Mono<T> submit(Function<Store, T> stage);
}
