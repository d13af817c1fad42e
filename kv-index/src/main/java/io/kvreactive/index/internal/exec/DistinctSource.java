package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.AccessPath;
import java.util.List;
import reactor.core.publisher.Mono;

/** One item for each value of a range index, and all of those whose entries do not tell it. */
final class DistinctSource implements CandidateSource {
  private final EntryReader reader;
  private final LooseIndexScan firsts;

  /**
   * @param scan of a range index, whose items have not expired
   */
  DistinctSource(SnapshotReader session, AccessPath.Scan scan) {
    EntryKeys keys = session.keysOf(scan.index());
    this.reader =
        new EntryReader(
            session, keys, ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges()), false);
    this.firsts = new LooseIndexScan(reader, keys, false);
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    return firsts.next();
  }

  @Override
  public boolean done() {
    return reader.done();
  }
}
