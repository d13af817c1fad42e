package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.OrderScan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * A source of the items with entries in the index that gives the order, in this order. Keys
 * truncate long texts: items whose entries agree up to the truncation are loaded and sorted.
 */
final class IndexOrderSource extends CandidateSource {
  /** Number of items read before the filter of the condition is evaluated. */
  private static final int UNFILTERED = 1000;

  private final OrderScan order;
  private final SortKeys values;
  private final LazyFilter filter;
  private final QueryBudget budget;
  private final EntryReader entryReader;
  private final ItemLoader loading; // loads the items of runs
  private final List<Candidate> waiting = new ArrayList<>(); // candidates after the run
  private @Nullable TruncatedKeySorter run; // entries that agree up to the truncation of a text
  private final @Nullable LooseIndexScan firsts;
  private @Nullable ScanPosition resumed;
  private int walked;

  /**
   * Creates a source.
   *
   * @param skips true if one of the entries with the same value is enough
   * @param after the position after which the source starts; null for all items
   */
  IndexOrderSource(
      SnapshotReader reader,
      OrderScan order,
      SortKeys values,
      LazyFilter filter,
      QueryBudget budget,
      boolean skips,
      @Nullable ScanPosition after) {
    super(
        OperatorStats.of(
            skips ? "skipScan" : "orderScan", order.index(), order.equal(), order.ranges()));
    this.order = order;
    this.values = values;
    this.filter = filter;
    this.budget = budget;
    EntryKeys keys = reader.keysOf(order.index());
    this.loading = newLoader(reader);
    this.entryReader =
        new EntryReader(
            reader,
            keys,
            ScanRanges.of(order.index(), keys, order.equal(), order.ranges()),
            order.reverse(),
            stats());
    this.firsts = skips ? new LooseIndexScan(entryReader, keys, 1, order.reverse()) : null;
    byte[] raw = after == null ? null : after.raw();
    if (after != null && raw != null) {
      if (after.keys() == null) {
        entryReader.skipTo(raw);
      } else if (after.keys().size() != values.ordering().size()) {
        throw ContinuationToken.planChanged();
      } else { // the whole run is read again, and its first items are skipped
        entryReader.skipTo(TruncatedKeySorter.edge(raw, order.reverse()));
        resumed = after;
      }
    }
  }

  @Override
  boolean done() {
    return entryReader.done() && run == null && waiting.isEmpty();
  }

  @Override
  List<Candidate> more(int wanted) {
    if (walked > UNFILTERED && filter.known() == null) {
      walked = Integer.MIN_VALUE; // requested once
      var unused = filter.docIds();
    }
    if (!waiting.isEmpty()) {
      List<Candidate> rest = List.copyOf(waiting);
      waiting.clear();
      return passing(rest);
    }
    if (entryReader.done()) {
      return endRun();
    }
    int batch = filter.known() == null ? wanted : Math.max(wanted, 512);
    List<Candidate> found = firsts == null ? entryReader.next(batch) : firsts.next();
    walked += walked < 0 ? 0 : found.size();
    return passing(found);
  }

  /**
   * Returns the candidates that pass the filter, up to the end of a run, which is sorted; the
   * candidates after it are queued.
   */
  private List<Candidate> passing(List<Candidate> found) {
    List<Candidate> passing = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      checkpoint();
      Candidate candidate = found.get(i);
      byte[] raw = Objects.requireNonNull(candidate.position().raw());
      TruncatedKeySorter open = run;
      if (open != null && !open.has(raw)) {
        waiting.addAll(found.subList(i, found.size()));
        passing.addAll(endRun());
        return passing;
      }
      int cut = open == null ? TruncatedKeySorter.cutAt(candidate.entry()) : open.length();
      if (cut > 0) {
        if (open == null) {
          open = new TruncatedKeySorter(Arrays.copyOf(raw, cut), order.reverse(), values, budget);
          run = open;
        }
        if (passes(candidate)) {
          open.add(candidate.docId());
        }
      } else if (passes(candidate)) {
        passing.add(
            candidate.at(new ScanPosition(ScanPosition.Kind.ORDER, candidate.docId(), raw, null)));
      }
    }
    return passing;
  }

  private boolean passes(Candidate candidate) {
    Roaring64Bitmap known = filter.known();
    return known == null || known.contains(candidate.docId());
  }

  /** Returns the items of the run in their exact order. */
  private List<Candidate> endRun() {
    TruncatedKeySorter ended = run;
    if (ended == null) {
      return List.of();
    }
    run = null;
    ScanPosition after = resumed;
    resumed = null;
    return ended.sorted(loading, after);
  }
}
