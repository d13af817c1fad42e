package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/** Items that may give rows, one after the other, none twice. Calls follow each other. */
interface Source {
  /**
   * The next ones, loaded or not; there may be none though it is not done.
   *
   * @param wanted about how many
   */
  Mono<List<Candidate>> next(int wanted);

  /** Whether the last one was emitted. */
  boolean done();

  /** Where it starts when it starts at its beginning. */
  default Position start() {
    return Position.item(Position.Kind.ITEMS, 0);
  }

  /** No items. */
  Source NONE =
      new Source() {
        @Override
        public Mono<List<Candidate>> next(int wanted) {
          return Mono.just(List.of());
        }

        @Override
        public boolean done() {
          return true;
        }
      };
}
