package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.OrderScan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * The items that have entries in the index that has the order asked for, in its order. Keys hold
 * long texts cut: where entries agree up to there, their items are loaded and sorted.
 */
final class IndexOrderSource implements CandidateSource {
  /** Items that are walked over before it is found out which of them the condition lets through. */
  private static final int UNFILTERED = 1000;

  private final SnapshotReader session;
  private final OrderScan order;
  private final SortKeys values;
  private final LazyFilter filter;
  private final QueryBudget budget;
  private final EntryReader reader;
  private final List<Candidate> waiting = new ArrayList<>(); // behind the run
  private @Nullable TruncatedKeySorter run; // entries that agree up to where a text is cut
  private final @Nullable LooseIndexScan firsts;
  private @Nullable ScanPosition resumed;
  private int walked;

  /**
   * @param skips whether of entries that have the same value one is enough
   * @param after null for all
   */
  IndexOrderSource(
      SnapshotReader session,
      OrderScan order,
      SortKeys values,
      LazyFilter filter,
      QueryBudget budget,
      boolean skips,
      @Nullable ScanPosition after) {
    this.session = session;
    this.order = order;
    this.values = values;
    this.filter = filter;
    this.budget = budget;
    EntryKeys keys = session.keysOf(order.index());
    this.reader =
        new EntryReader(
            session,
            keys,
            ScanRanges.of(order.index(), keys, order.equal(), order.ranges()),
            order.reverse());
    this.firsts = skips ? new LooseIndexScan(reader, keys, order.reverse()) : null;
    byte[] raw = after == null ? null : after.raw();
    if (after != null && raw != null) {
      if (after.keys() == null) {
        reader.skipTo(raw);
      } else if (after.keys().size() != values.ordering().size()) {
        throw ContinuationToken.invalid("the order it was made for is served otherwise now", null);
      } else { // the whole run, of which the first ones are left out
        reader.skipTo(TruncatedKeySorter.edge(raw, order.reverse()));
        resumed = after;
      }
    }
  }

  @Override
  public boolean done() {
    return reader.done() && run == null && waiting.isEmpty();
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    if (walked > UNFILTERED && filter.known() == null) {
      walked = Integer.MIN_VALUE; // asked once
      return filter.numbers().then(Mono.defer(() -> next(wanted)));
    }
    if (!waiting.isEmpty()) {
      List<Candidate> rest = List.copyOf(waiting);
      waiting.clear();
      return emit(rest);
    }
    if (reader.done()) {
      return endRun();
    }
    int batch = filter.known() == null ? wanted : Math.max(wanted, 512);
    return MonoFusion.flatMap(
        firsts == null ? reader.next(batch) : firsts.next(),
        found -> {
          walked += walked < 0 ? 0 : found.size();
          return emit(found);
        });
  }

  /** Candidates up to where a run begins; what is behind waits. */
  private Mono<List<Candidate>> emit(List<Candidate> found) {
    List<Candidate> emitted = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      checkpoint();
      Candidate candidate = found.get(i);
      byte[] raw = Objects.requireNonNull(candidate.position().raw());
      TruncatedKeySorter open = run;
      if (open != null && !open.has(raw)) {
        waiting.addAll(found.subList(i, found.size()));
        return endRun().map(sorted -> joined(emitted, sorted));
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
        emitted.add(
            candidate.at(new ScanPosition(ScanPosition.Kind.ORDER, candidate.docId(), raw, null)));
      }
    }
    return Mono.just(emitted);
  }

  private static List<Candidate> joined(List<Candidate> one, List<Candidate> two) {
    List<Candidate> all = new ArrayList<>(one);
    all.addAll(two);
    return all;
  }

  private boolean passes(Candidate candidate) {
    Roaring64Bitmap known = filter.known();
    return known == null || known.contains(candidate.docId());
  }

  /** The items of the run in their true order. */
  private Mono<List<Candidate>> endRun() {
    TruncatedKeySorter ended = run;
    if (ended == null) {
      return Mono.just(List.of());
    }
    run = null;
    ScanPosition after = resumed;
    resumed = null;
    return ended.sorted(session, after);
  }
}
