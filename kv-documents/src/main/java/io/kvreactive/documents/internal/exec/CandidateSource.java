package io.kvreactive.documents.internal.exec;

import java.util.List;

/** A source of candidates, each at most once. Calls must not overlap. */
interface CandidateSource {
  /**
   * Returns the next candidates, loaded or not; may return none before the end.
   *
   * @param wanted the approximate number of candidates
   */
  List<Candidate> next(int wanted);

  /** Returns true if the last candidate was returned. */
  boolean done();

  /** Returns the counts of this operator. */
  OperatorStats stats();

  /** Returns the position before the first candidate. */
  default ScanPosition start() {
    return ScanPosition.item(ScanPosition.Kind.ITEMS, 0);
  }
}
