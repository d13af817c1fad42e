package io.kvreactive.internal.api;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The source of the pages of a {@link PagedFlux}. Calls do not overlap: each follows the answer to
 * the previous one.
 *
 * @param <E> type of the elements
 */
public interface Pages<E> {
  /**
   * Reads the next page.
   *
   * @param wanted the number of requested elements; a page may have more or fewer, even none
   */
  Mono<List<E>> next(long wanted);

  /** Returns true if the last page has been read. */
  boolean done();

  /** Releases all resources. Called once, when the subscription ends. */
  void close();
}
