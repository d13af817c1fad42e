package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.IndexRef;
import io.kvreactive.documents.internal.plan.MinMaxScan;
import io.kvreactive.documents.internal.plan.ValueRange;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/**
 * A source of the items that decide MIN and MAX of the values at one path: an item with the first
 * or last value, or an item with an array or object, for which both are undefined. If a key
 * truncates its value, the source has all items with an equal key.
 *
 * <p>While there may be expired items that are not removed yet, the items are checked page by page
 * from the end until one is alive. Items that have expired elsewhere cost nothing.
 */
final class MinMaxSource extends CandidateSource {
  private static final ValueRange SCALARS = new ValueRange.Types(ValueType.NULL, ValueType.STRING);
  private static final ValueRange CONTAINERS =
      new ValueRange.Types(ValueType.ARRAY, ValueType.OBJECT);
  private static final int LARGEST_PAGE = 256;
  private static final long CANDIDATE_BYTES = 512;

  private final SnapshotReader reader;
  private final IndexRef index;
  private final QueryBudget budget;
  private final Deque<EntryReader> left = new ArrayDeque<>();
  private final EntryReader containers;
  private final List<Candidate> same = new ArrayList<>();
  private final boolean allAlive;
  private final OperatorStats scanned;
  private final ItemLoader loading;
  private int page = 1;

  /**
   * Creates a source.
   *
   * @param allAlive true if all entries are known to belong to items that have not expired
   */
  MinMaxSource(
      SnapshotReader reader,
      IndexRef index,
      MinMaxScan ends,
      boolean allAlive,
      QueryBudget budget) {
    super(new OperatorStats("minMax"));
    this.reader = reader;
    this.index = index;
    this.budget = budget;
    this.allAlive = allAlive;
    this.scanned =
        OperatorStats.of("fullIndexScan", index, List.of(), List.of()); // its ends are read
    this.loading = newLoader(reader, scanned);
    this.containers = entryReader(CONTAINERS, false);
    left.add(containers);
    if (ends.first()) {
      left.add(entryReader(SCALARS, false));
    }
    if (ends.last()) {
      left.add(entryReader(SCALARS, true));
    }
  }

  private EntryReader entryReader(ValueRange range, boolean reverse) {
    EntryKeys keys = reader.keysOf(index);
    return new EntryReader(
        reader, keys, ScanRanges.of(index, keys, List.of(), List.of(range)), reverse, scanned);
  }

  @Override
  boolean done() {
    return left.isEmpty();
  }

  @Override
  List<Candidate> more(int wanted) {
    EntryReader entryReader = left.peek();
    if (entryReader == null) {
      return List.of();
    }
    budget.item();
    budget.step();
    if (loading.done()) {
      int limit = same.isEmpty() ? page : LARGEST_PAGE;
      page = Math.min(LARGEST_PAGE, page * 2);
      List<Candidate> found = scanned.pass(entryReader.next(limit));
      if (allAlive) {
        return take(entryReader, found);
      }
      loading.add(found);
    }
    return take(entryReader, loading.next().stream().map(Candidate::unloaded).toList());
  }

  private List<Candidate> take(EntryReader entryReader, List<Candidate> found) {
    boolean isContainer = entryReader == containers && !found.isEmpty();
    if (isContainer) {
      left.clear();
      return List.of(found.get(0));
    }
    boolean ended = entryReader.done() && loading.done();
    for (Candidate candidate : found) {
      if (!same.isEmpty() && !isSame(same.get(0), candidate)) {
        ended = true;
        break;
      }
      same.add(candidate);
      budget.hold(CANDIDATE_BYTES);
      if (value(candidate).exact()) {
        ended = true;
        break;
      }
    }
    if (!ended) {
      return List.of();
    }
    left.remove();
    loading.add(List.of());
    page = 1;
    List<Candidate> all = new ArrayList<>(same);
    budget.release(same.size() * CANDIDATE_BYTES);
    same.clear();
    // of equal values, the value of the first item counts, as in a full scan
    all.sort(Comparator.comparingLong(Candidate::docId));
    return all;
  }

  private static boolean isSame(Candidate one, Candidate two) {
    return value(one).tag() == value(two).tag() && value(one).value().equals(value(two).value());
  }

  private static DecodedValue value(Candidate candidate) {
    return Objects.requireNonNull(candidate.entry()).values().get(0);
  }
}
