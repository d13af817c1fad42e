package io.kvreactive.documents.internal.exec;

/** A source of candidates, loaded or not, each at most once. */
abstract class CandidateSource extends Operator<Candidate> {
  CandidateSource(OperatorStats stats) {
    super(stats);
  }

  /** Returns the position before the first candidate. */
  ScanPosition start() {
    return ScanPosition.item(ScanPosition.Kind.ITEMS, 0);
  }
}
