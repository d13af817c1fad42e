package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/** Items that may give rows, one after the other, none twice. Calls follow each other. */
interface CandidateSource {
  /**
   * The next ones, loaded or not; there may be none though it is not done.
   *
   * @param wanted about how many
   */
  Mono<List<Candidate>> next(int wanted);

  /** Whether the last one was emitted. */
  boolean done();

  /** Where it starts when it starts at its beginning. */
  default ScanPosition start() {
    return ScanPosition.item(ScanPosition.Kind.ITEMS, 0);
  }

  /** No items. */
  CandidateSource NONE =
      new CandidateSource() {
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
