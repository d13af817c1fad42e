package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.encoding.Decoded;
import io.kvreactive.index.internal.encoding.ValueEncoding;
import io.kvreactive.index.internal.layout.Entry;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.OrderScan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * The items that have entries in the index that has the order asked for, in its order. Keys hold
 * long texts cut: where entries agree up to there, their items are loaded and sorted.
 */
final class WalkSource implements Source {
  /** Items that are walked over before it is found out which of them the condition lets through. */
  private static final int UNFILTERED = 1000;

  private final Session session;
  private final OrderScan order;
  private final OrderKeys values;
  private final LazyFilter filter;
  private final QueryBudget budget;
  private final EntryReader reader;
  private final List<Candidate> run = new ArrayList<>(); // entries that agree up to the cut
  private final List<Candidate> waiting = new ArrayList<>(); // behind the run
  private byte @Nullable [] beforeRun;
  private byte @Nullable [] last;
  private int toSkip;
  private int walked;

  /**
   * @param after null for all
   */
  WalkSource(
      Session session,
      OrderScan order,
      OrderKeys values,
      LazyFilter filter,
      QueryBudget budget,
      @Nullable Position after) {
    this.session = session;
    this.order = order;
    this.values = values;
    this.filter = filter;
    this.budget = budget;
    EntryKeys keys = ScanRanges.keys(order.index());
    this.reader =
        new EntryReader(
            session,
            keys,
            ScanRanges.of(order.index(), keys, order.equal(), order.ranges()),
            order.reverse());
    if (after != null) {
      byte[] raw = after.raw();
      if (raw != null) {
        reader.skipTo(raw);
        last = raw;
      }
      toSkip = after.skip();
    }
  }

  @Override
  public boolean done() {
    return reader.done() && run.isEmpty() && waiting.isEmpty();
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
    return Ready.flatMap(
        reader.next(batch),
        found -> {
          walked += walked < 0 ? 0 : found.size();
          return emit(found);
        });
  }

  /** Candidates up to where a run begins; what is behind waits. */
  private Mono<List<Candidate>> emit(List<Candidate> found) {
    List<Candidate> emitted = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      Candidate candidate = found.get(i);
      if (!run.isEmpty() && !sameRun(run.get(0), candidate)) {
        waiting.addAll(found.subList(i, found.size()));
        return endRun().map(sorted -> joined(emitted, sorted));
      }
      if (cutAt(candidate) >= 0) {
        if (run.isEmpty()) {
          beforeRun = last;
        }
        run.add(candidate);
        budget.check(run.size() * 512L, "items that agree in the first bytes of a long text");
      } else if (passes(candidate)) {
        toSkip = 0;
        byte[] raw = candidate.position().raw();
        emitted.add(candidate.at(new Position(Position.Kind.ORDER, candidate.docId(), raw, 0)));
      }
      last = candidate.position().raw();
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

  /** The place of the first value that the key holds cut; -1 when there is none. */
  private static int cutAt(Candidate candidate) {
    Entry entry = candidate.entry();
    if (entry == null) {
      return -1;
    }
    for (int i = 0; i < entry.values().size(); i++) {
      Decoded value = entry.values().get(i);
      if (value.tag() == ValueEncoding.STRING && !value.exact()) {
        return i;
      }
    }
    return -1;
  }

  private static boolean sameRun(Candidate first, Candidate other) {
    int cut = cutAt(first);
    if (cutAt(other) != cut || first.entry() == null || other.entry() == null) {
      return false;
    }
    for (int i = 0; i <= cut; i++) {
      Decoded one = first.entry().values().get(i);
      Decoded two = other.entry().values().get(i);
      if (one.tag() != two.tag() || !one.value().equals(two.value())) {
        return false;
      }
    }
    return true;
  }

  /** The items of the run in their true order. */
  private Mono<List<Candidate>> endRun() {
    if (run.isEmpty()) {
      return Mono.just(List.of());
    }
    List<Candidate> all = new ArrayList<>(run);
    run.clear();
    return session
        .load(all)
        .map(
            loaded -> {
              List<Keyed> keyed = new ArrayList<>(loaded.size());
              for (Candidate candidate : loaded) {
                keyed.add(new Keyed(values.of(candidate), candidate));
              }
              Comparator<Keyed> ties = Comparator.comparingLong(one -> one.candidate().docId());
              keyed.sort(
                  Comparator.comparing(Keyed::keys, values.order())
                      .thenComparing(order.reverse() ? ties.reversed() : ties));
              List<Candidate> sorted = new ArrayList<>(keyed.size());
              for (int i = toSkip; i < keyed.size(); i++) {
                Candidate candidate = keyed.get(i).candidate();
                sorted.add(
                    candidate.at(
                        new Position(Position.Kind.ORDER, candidate.docId(), beforeRun, i + 1)));
              }
              toSkip = 0;
              return sorted;
            });
  }

  private record Keyed(JsonNode[] keys, Candidate candidate) {}
}
