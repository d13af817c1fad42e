package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.encoding.Decoded;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.Ends;
import io.kvreactive.index.internal.plan.IndexRef;
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
 */
final class EndsSource implements Source {
  private static final ValueRange SCALARS = new ValueRange.Types(ValueType.NULL, ValueType.STRING);
  private static final ValueRange CONTAINERS =
      new ValueRange.Types(ValueType.ARRAY, ValueType.OBJECT);

  private final Session session;
  private final IndexRef index;
  private final QueryBudget budget;
  private final Deque<EntryReader> left = new ArrayDeque<>();
  private final EntryReader containers;
  private final List<Candidate> same = new ArrayList<>();

  EndsSource(Session session, IndexRef index, Ends ends, QueryBudget budget) {
    this.session = session;
    this.index = index;
    this.budget = budget;
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
    EntryKeys keys = ScanRanges.keys(index);
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
    return reader == null
        ? Mono.just(List.of())
        : Ready.map(reader.next(same.isEmpty() ? 1 : 256), found -> take(reader, found));
  }

  private List<Candidate> take(EntryReader reader, List<Candidate> found) {
    boolean isContainer = reader == containers && !found.isEmpty();
    if (isContainer) {
      left.clear();
      return found;
    }
    boolean ended = reader.done();
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
    List<Candidate> all = new ArrayList<>(same);
    same.clear();
    // of values that tie, the one of the first item counts, as when all are looked at
    all.sort(Comparator.comparingLong(Candidate::docId));
    return all;
  }

  private static boolean isSame(Candidate one, Candidate two) {
    return value(one).tag() == value(two).tag() && value(one).value().equals(value(two).value());
  }

  private static Decoded value(Candidate candidate) {
    return Objects.requireNonNull(candidate.entry()).values().get(0);
  }
}
