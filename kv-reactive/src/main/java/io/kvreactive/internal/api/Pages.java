package io.kvreactive.internal.api;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Where a {@link PagedFlux} gets its pages from. Calls follow each other; the next is made when the
 * last has been answered.
 *
 * @param <E> type of the elements
 */
public interface Pages<E> {
  /**
   * Reads the next page.
   *
   * @param wanted elements that are asked for; a page may hold more or fewer, also none
   */
  Mono<List<E>> next(long wanted);

  /** Returns true if the last page has been read. */
  boolean done();

  /** Gives up what is held. Called once, when the subscription ends. */
  void close();
}
