package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.OrderScan;
import io.kvreactive.documents.internal.plan.OrderScan.Missing;
import io.kvreactive.documents.internal.plan.ValueRange;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * A source of items in index order. Items without a value, or with a value that the index does not
 * hold, come before or after the items of the index.
 */
final class OrderSource extends CandidateSource {
  private final SnapshotReader reader;
  private final OrderScan order;
  private final SortKeys values;
  private final LazyFilter filter;
  private final QueryBudget budget;
  private final boolean skips;
  private final List<Supplier<CandidateSource>> phases = new ArrayList<>();
  private @Nullable Roaring64Bitmap withoutEntry;
  private final ScanPosition start;
  private CandidateSource current = CandidateSources.none();

  /**
   * Creates a source.
   *
   * @param skips true if one of the items with the same value is enough
   * @param after the position after which the source starts; null for all items
   */
  OrderSource(
      SnapshotReader reader,
      OrderScan order,
      SortKeys values,
      LazyFilter filter,
      QueryBudget budget,
      boolean skips,
      @Nullable ScanPosition after) {
    super(OperatorStats.optional("concatenate", filter.stats()));
    this.reader = reader;
    this.order = order;
    this.values = values;
    this.filter = filter;
    this.budget = budget;
    this.skips = skips;
    List<ScanPosition.Kind> kinds = new ArrayList<>();
    if (order.missing() == Missing.UNDEFINED || order.missing() == Missing.BOTH) {
      kinds.add(ScanPosition.Kind.UNDEFINED);
    }
    kinds.add(ScanPosition.Kind.ORDER);
    if (order.missing() == Missing.CONTAINERS || order.missing() == Missing.BOTH) {
      kinds.add(ScanPosition.Kind.CONTAINERS);
    }
    if (order.reverse()) {
      Collections.reverse(kinds);
    }
    start = ScanPosition.item(kinds.get(0), 0);
    int first = after == null ? 0 : kinds.indexOf(after.kind());
    if (first < 0) {
      throw ContinuationToken.planChanged();
    }
    for (int i = first; i < kinds.size(); i++) {
      ScanPosition start = i == first ? after : null;
      ScanPosition.Kind kind = kinds.get(i);
      phases.add(() -> phase(kind, start));
    }
  }

  private CandidateSource phase(ScanPosition.Kind kind, @Nullable ScanPosition after) {
    return switch (kind) {
      case UNDEFINED -> undefined(after);
      case CONTAINERS -> containers(after);
      default -> walk(after);
    };
  }

  private CandidateSource walk(@Nullable ScanPosition after) {
    CandidateSource walk =
        new IndexOrderSource(reader, order, values, filter, budget, skips, after);
    return order.missing() == Missing.CONTAINERS
        ? CandidateSources.filtered(
            reader, walk, candidate -> !knowsUndefined(candidate) || !isContainer(candidate), null)
        : walk;
  }

  private static boolean knowsUndefined(Candidate candidate) {
    return candidate.entry() == null
        || candidate.entry().values().get(0).tag() == ValueEncoding.UNDEFINED;
  }

  @Override
  ScanPosition start() {
    return start;
  }

  @Override
  boolean done() {
    return current.done() && phases.isEmpty();
  }

  @Override
  List<Candidate> more(int wanted) {
    while (current.done() && !phases.isEmpty()) {
      current = phases.remove(0).get();
      stats().add(current.stats());
    }
    return current.done() ? List.of() : current.next(wanted);
  }

  private boolean isContainer(Candidate loaded) {
    return values.of(loaded)[0].isContainerNode();
  }

  // ---- items without a value

  private CandidateSource undefined(@Nullable ScanPosition after) {
    return CandidateSources.filtered(
        reader,
        withoutEntry(after == null ? 0 : after.docId()),
        candidate -> !candidate.isUnindexed() && values.of(candidate)[0].isMissingNode(),
        ScanPosition.Kind.UNDEFINED);
  }

  /** Returns a source of the items without an entry, after a document id. */
  private CandidateSource withoutEntry(long after) {
    OperatorStats except = new OperatorStats("except");
    return CandidateSources.ofDocIds(withoutEntry(except), after, except);
  }

  private Roaring64Bitmap withoutEntry(OperatorStats except) {
    Roaring64Bitmap known = withoutEntry;
    if (known != null) {
      return known;
    }
    DocIdCollector collector =
        new DocIdCollector(
            scan -> {
              throw new IllegalStateException("unexpected scan in a bitmap filter");
            },
            budget);
    Roaring64Bitmap left = new Roaring64Bitmap();
    Roaring64Bitmap filtered = filter.docIds();
    left.or(
        filtered != null ? filtered : collector.drain(CandidateSources.ofItemKeys(reader), except));
    left.andNot(collector.drain(entries(List.of()), except));
    withoutEntry = left;
    return left;
  }

  private CandidateSource entries(List<ValueRange> ranges) {
    EntryKeys keys = reader.keysOf(order.index());
    OperatorStats scanned = OperatorStats.of("entryScan", order.index(), order.equal(), ranges);
    EntryReader entryReader =
        new EntryReader(
            reader,
            keys,
            ScanRanges.of(order.index(), keys, order.equal(), ranges),
            false,
            scanned);
    return new CandidateSource(scanned) {
      @Override
      List<Candidate> more(int wanted) {
        return entryReader.next(wanted);
      }

      @Override
      boolean done() {
        return entryReader.done();
      }
    };
  }

  // ---- items with an array or object

  private CandidateSource containers(@Nullable ScanPosition after) {
    CandidateSource source =
        order.missing() == Missing.BOTH
            ? withoutEntry(0)
            : entries(List.of(new ValueRange.Types(ValueType.UNDEFINED, ValueType.UNDEFINED)));
    List<ContainerItem> containerItems = new ArrayList<>();
    Passing passing = new Passing(source);
    ItemLoader loading = new ItemLoader(reader, passing.stats());
    loading.each(
        passing, CoveringReader.NOT_COVERED, 256, one -> addContainer(one, containerItems));
    return sorted(containerItems, after, new OperatorStats("sort", loading.stats()));
  }

  /** A source of the candidates that the filter does not exclude. */
  private final class Passing extends CandidateSource {
    private final CandidateSource source;

    Passing(CandidateSource source) {
      super(OperatorStats.optional("filter", source.stats()));
      this.source = source;
    }

    @Override
    List<Candidate> more(int wanted) {
      return passing(source.next(wanted));
    }

    @Override
    boolean done() {
      return source.done();
    }
  }

  private List<Candidate> passing(List<Candidate> candidates) {
    Roaring64Bitmap known = filter.known();
    return known == null
        ? candidates
        : candidates.stream().filter(one -> known.contains(one.docId())).toList();
  }

  private void addContainer(Candidate candidate, List<ContainerItem> containerItems) {
    if (!candidate.isUnindexed() && isContainer(candidate)) {
      JsonNode value = values.of(candidate)[0];
      budget.hold(64 + MemoryEstimator.of(value));
      containerItems.add(new ContainerItem(OrderedValue.of(value), candidate.docId()));
    }
  }

  private CandidateSource sorted(
      List<ContainerItem> containerItems, @Nullable ScanPosition after, OperatorStats sort) {
    Comparator<ContainerItem> byValue = Comparator.comparing(ContainerItem::value);
    Comparator<ContainerItem> all =
        (order.reverse() ? byValue.reversed() : byValue).thenComparingLong(ContainerItem::docId);
    containerItems.sort(all);
    List<JsonNode> keys = after == null ? null : after.keys();
    ContainerItem last =
        after == null || keys == null || keys.isEmpty()
            ? null
            : new ContainerItem(OrderedValue.of(keys.get(0)), after.docId());
    List<Candidate> left = new ArrayList<>(containerItems.size());
    for (ContainerItem one : containerItems) {
      if (last == null || all.compare(one, last) > 0) {
        ScanPosition at =
            new ScanPosition(
                ScanPosition.Kind.CONTAINERS, one.docId(), null, List.of(one.value().value()));
        left.add(Candidate.of(one.docId()).at(at));
      }
    }
    return CandidateSources.ofList(left, sort);
  }

  private record ContainerItem(OrderedValue value, long docId) {}
}
