package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.encoding.DecodedValue;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.AccessPath;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The items of a scan, in the order of the entries. An item with several comes several times. */
final class ScanSource implements CandidateSource {
  private final EntryReader reader;
  private final int tested;
  private final @Nullable Predicate<DecodedValue> test;

  /**
   * @param after the entry that they come behind; null for all
   * @param test what the value behind the equal ones must meet; null for nothing
   */
  ScanSource(
      SnapshotReader session,
      AccessPath.Scan scan,
      byte @Nullable [] after,
      @Nullable Predicate<DecodedValue> test) {
    EntryKeys keys = session.keysOf(scan.index());
    this.reader =
        new EntryReader(
            session, keys, ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges()), false);
    this.tested = scan.equal().size();
    this.test = test;
    if (after != null) {
      reader.skipTo(after);
    }
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    Predicate<DecodedValue> check = test;
    return check == null
        ? reader.next(wanted)
        : MonoFusion.map(
            reader.next(Math.max(wanted, 256)),
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
    return reader.done();
  }
}
