package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.AccessPath;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A source of the items of a scan, in entry order. An item with several entries is emitted several
 * times.
 */
final class ScanSource implements CandidateSource {
  private final EntryReader entryReader;
  private final int tested;
  private final @Nullable Predicate<DecodedValue> test;

  /**
   * Creates a source.
   *
   * @param after the entry after which the source starts; null for all entries
   * @param test the test of the value after the equal ones; null for none
   */
  ScanSource(
      SnapshotReader reader,
      AccessPath.Scan scan,
      byte @Nullable [] after,
      @Nullable Predicate<DecodedValue> test) {
    EntryKeys keys = reader.keysOf(scan.index());
    this.entryReader =
        new EntryReader(
            reader, keys, ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges()), false);
    this.tested = scan.equal().size();
    this.test = test;
    if (after != null) {
      entryReader.skipTo(after);
    }
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    Predicate<DecodedValue> check = test;
    return check == null
        ? entryReader.next(wanted)
        : MonoFusion.map(
            entryReader.next(Math.max(wanted, 256)),
            found -> found.stream().filter(candidate -> passes(candidate, check)).toList());
  }

  private boolean passes(Candidate candidate, Predicate<DecodedValue> check) {
    return candidate.entry() == null
        || candidate.entry().values().size() <= tested
        || check.test(candidate.entry().values().get(tested));
  }

  @Override
  public ScanPosition start() {
    return ScanPosition.item(ScanPosition.Kind.ENTRIES, 0);
  }

  @Override
  public boolean done() {
    return entryReader.done();
  }
}
