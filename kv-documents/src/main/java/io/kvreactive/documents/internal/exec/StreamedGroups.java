package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.eval.Aggregation;
import io.kvreactive.documents.internal.eval.ScopedBudget;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of GROUP BY over an index in which the entries of each group are adjacent. A group is
 * complete when the next one begins, so that memory is that of one group. Groups of entries without
 * exact values, such as truncated texts, are collected until the next exact value.
 */
final class StreamedGroups extends Operator<ResultRow> {
  private static final int FIRST_BATCH = 64;
  private static final int LARGEST_BATCH = 4096;

  private final RowMaker maker;
  private final CandidateSource source;
  private final CoveringReader covering;
  private final int prefix;
  private final ItemLoader loading;
  private final Deque<Aggregation.Result> results = new ArrayDeque<>();
  private ScopedBudget held;
  private @Nullable Aggregation open;
  private @Nullable List<DecodedValue> values; // those of the last entry; null if not exact
  private int batch = FIRST_BATCH;

  /**
   * Creates the rows.
   *
   * @param covering the reader of the entries, which cover the query
   * @param prefix the number of the first values of an entry that make a group
   */
  StreamedGroups(RowMaker maker, CandidateSource source, CoveringReader covering, int prefix) {
    super(new OperatorStats("groupInOrder"));
    this.maker = maker;
    this.source = source;
    this.covering = covering;
    this.prefix = prefix;
    this.loading = newLoader(maker.reader(), source.stats());
    this.held = new ScopedBudget(maker.budget());
  }

  @Override
  boolean done() {
    return results.isEmpty() && open == null && isRead();
  }

  private boolean isRead() {
    return loading.done() && source.done();
  }

  @Override
  List<ResultRow> more(int wanted) {
    if (isRead()) {
      close();
    } else if (results.isEmpty()) {
      if (loading.done()) {
        loading.add(covering.apply(source.next(batch)));
        batch = Math.min(LARGEST_BATCH, 2 * batch);
      }
      loading.next().forEach(this::add);
    }
    return GroupedRows.take(results, wanted);
  }

  private void add(Candidate candidate) {
    List<DecodedValue> found = exact(candidate.entry());
    if (found != null && values != null && !LooseIndexScan.areSame(values, found)
        || found != null && values == null) {
      close();
    }
    values = found;
    Aggregation group = open;
    if (group == null) {
      group = maker.program().newAggregation(maker.context(), held);
      open = group;
    }
    maker.add(candidate, group);
  }

  /** Ends the open groups. */
  private void close() {
    Aggregation group = open;
    if (group != null) {
      results.addAll(group.results());
      held.close();
      held = new ScopedBudget(maker.budget());
      open = null;
    }
  }

  private @Nullable List<DecodedValue> exact(@Nullable DecodedEntry entry) {
    if (entry == null || entry.values().size() < prefix) {
      return null;
    }
    List<DecodedValue> first = entry.values().subList(0, prefix);
    return LooseIndexScan.areTold(first, entry.values().size()) ? first : null;
  }
}
