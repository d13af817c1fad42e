package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.encoding.DecodedValue;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.IndexRef;
import io.kvreactive.index.internal.plan.MinMaxScan;
import io.kvreactive.index.internal.plan.ValueRange;
import io.kvreactive.index.internal.plan.ValueRange.ValueType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * The items that decide about MIN and MAX of the values at one path: one with the first or last
 * value, or one with an array or object, for which both are undefined. Where a key does not tell
 * its value exactly, these are all items whose keys tell the same.
 *
 * <p>While there may be items that have expired and are not removed yet, the items that entries
 * lead to are looked at, page by page from the end until one is alive: what has expired elsewhere
 * costs nothing.
 */
final class MinMaxSource implements CandidateSource {
  private static final ValueRange SCALARS = new ValueRange.Types(ValueType.NULL, ValueType.STRING);
  private static final ValueRange CONTAINERS =
      new ValueRange.Types(ValueType.ARRAY, ValueType.OBJECT);
  private static final int LARGEST_PAGE = 256;

  private final SnapshotReader session;
  private final IndexRef index;
  private final QueryBudget budget;
  private final Deque<EntryReader> left = new ArrayDeque<>();
  private final EntryReader containers;
  private final List<Candidate> same = new ArrayList<>();
  private final boolean allAlive;
  private final ItemLoader loading;
  private int page = 1;

  /**
   * @param allAlive whether all entries are known to be of items that have not expired
   */
  MinMaxSource(
      SnapshotReader session,
      IndexRef index,
      MinMaxScan ends,
      boolean allAlive,
      QueryBudget budget) {
    this.session = session;
    this.index = index;
    this.budget = budget;
    this.allAlive = allAlive;
    this.loading = new ItemLoader(session);
    this.containers = reader(CONTAINERS, false);
    left.add(containers);
    if (ends.first()) {
      left.add(reader(SCALARS, false));
    }
    if (ends.last()) {
      left.add(reader(SCALARS, true));
    }
  }

  private EntryReader reader(ValueRange range, boolean reverse) {
    EntryKeys keys = session.keysOf(index);
    return new EntryReader(
        session, keys, ScanRanges.of(index, keys, List.of(), List.of(range)), reverse);
  }

  @Override
  public boolean done() {
    return left.isEmpty();
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    EntryReader reader = left.peek();
    if (reader == null) {
      return Mono.just(List.of());
    }
    budget.item();
    budget.step();
    if (!loading.done()) {
      return alive(reader);
    }
    int limit = same.isEmpty() ? page : LARGEST_PAGE;
    page = Math.min(LARGEST_PAGE, page * 2);
    return allAlive
        ? MonoFusion.map(reader.next(limit), found -> take(reader, found))
        : MonoFusion.flatMap(
            reader.next(limit),
            found -> {
              loading.add(found);
              return alive(reader);
            });
  }

  /** Goes on with those of a page that have not expired. */
  private Mono<List<Candidate>> alive(EntryReader reader) {
    return MonoFusion.map(
        loading.next(), items -> take(reader, items.stream().map(Candidate::unloaded).toList()));
  }

  private List<Candidate> take(EntryReader reader, List<Candidate> found) {
    boolean isContainer = reader == containers && !found.isEmpty();
    if (isContainer) {
      left.clear();
      return List.of(found.get(0));
    }
    boolean ended = reader.done() && loading.done();
    for (Candidate candidate : found) {
      if (!same.isEmpty() && !isSame(same.get(0), candidate)) {
        ended = true;
        break;
      }
      same.add(candidate);
      budget.check(same.size() * 512L, "items that are the first or last by what keys tell");
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
    same.clear();
    // of values that tie, the one of the first item counts, as when all are looked at
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
