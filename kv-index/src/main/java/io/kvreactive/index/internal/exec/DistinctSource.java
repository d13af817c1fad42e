package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.AccessPath;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * A source of one item for each value of an index, or for each combination of first values. Items
 * whose entries have no exact value are all emitted.
 */
final class DistinctSource implements CandidateSource {
  private final EntryReader entryReader;
  private final LooseIndexScan firsts;

  /**
   * Creates a source.
   *
   * @param scan the scan of an index in which no item has expired
   * @param width the number of the first values that matter
   */
  DistinctSource(SnapshotReader reader, AccessPath.Scan scan, int width) {
    EntryKeys keys = reader.keysOf(scan.index());
    this.entryReader =
        new EntryReader(
            reader, keys, ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges()), false);
    this.firsts = new LooseIndexScan(entryReader, keys, width, false);
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    return firsts.next();
  }

  @Override
  public boolean done() {
    return entryReader.done();
  }
}
