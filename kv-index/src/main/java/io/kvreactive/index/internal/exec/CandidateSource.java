package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/** A source of candidates, each at most once. Calls must not overlap. */
interface CandidateSource {
  /**
   * Emits the next candidates, loaded or not; may emit an empty list before the end.
   *
   * @param wanted the approximate number of candidates
   */
  Mono<List<Candidate>> next(int wanted);

  /** Returns true if the last candidate was emitted. */
  boolean done();

  /** Returns the position before the first candidate. */
  default ScanPosition start() {
    return ScanPosition.item(ScanPosition.Kind.ITEMS, 0);
  }
}
