package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.collection.PartitionPrefix;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.MinMaxScan;
import io.kvreactive.documents.internal.plan.NearestScan;
import io.kvreactive.documents.internal.plan.OrderScan;
import io.kvreactive.documents.internal.plan.Plan;
import io.kvreactive.documents.internal.plan.VectorScan;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Creates the rows of a planned query at one snapshot: chooses the stream of rows and the source of
 * items that the plan, the continuation token and the partition key require.
 */
final class RowStreamFactory {
  /**
   * Maximum number of index entries of a range, as a share of the items of a partition, for which
   * the entries cost less than loading the items.
   */
  private static final int NARROWING_SHARE = 4;

  /** Maximum number of index entries of a range that are read to find items of a partition. */
  private static final int MAX_NARROWING = 20_000;

  private final SnapshotReader reader;
  private final Plan plan;
  private final ItemContext context;
  private final NeighborIndexCache neighbors;
  private final @Nullable PartitionPrefix partition;
  private final QueryBudget budget;
  private final PreparedQuery prepared;
  private final QueryProgram program;
  private final long mostRows;
  private final @Nullable ContinuationToken token;
  private final SourceFactory sources;
  private final OperatorStats expiryCheck = OperatorStats.optional("expiryCheck");
  private String walkedIndex = "";
  private String itemOrder = "";

  /**
   * Creates a factory for one query.
   *
   * @param plan the plan of the query that reads items
   * @param partition the partition to which the query is limited; null for all
   * @param mostRows the maximum number of rows that will be requested
   * @param token the continuation token of the query; null to start
   */
  RowStreamFactory(
      SnapshotReader reader,
      Plan plan,
      ItemContext context,
      NeighborIndexCache neighbors,
      @Nullable PartitionPrefix partition,
      QueryBudget budget,
      PreparedQuery prepared,
      long mostRows,
      @Nullable ContinuationToken token) {
    this.reader = reader;
    this.plan = plan;
    this.context = context;
    this.neighbors = neighbors;
    this.partition = partition;
    this.budget = budget;
    this.prepared = prepared;
    this.program = prepared.program();
    this.mostRows = mostRows;
    this.token = token;
    this.sources = new SourceFactory(reader, context, budget);
  }

  /**
   * Returns the rows.
   *
   * @throws io.kvreactive.documents.DocumentException INVALID_CONTINUATION
   */
  Operator<ResultRow> rows() {
    Operator<ResultRow> rows = create();
    rows.stats().add(expiryCheck);
    return rows;
  }

  private Operator<ResultRow> create() {
    PreparedQuery from = prepared.from();
    if (from != null) {
      return over(from);
    }
    if (!program.hasItems()) {
      Candidate nothing =
          Candidate.of(1).withPartialDocument(JsonNodeFactory.instance.objectNode());
      CandidateSource one =
          CandidateSources.ofList(List.of(nothing), new OperatorStats("constant"));
      return program.isAggregate() ? grouped(one, CoveringReader.NOT_COVERED) : items(one);
    }
    if (partition != null) {
      return within(new PartitionItems(reader, partition, budget));
    }
    if (program.isAggregate()) {
      return aggregated();
    }
    return plan.order() == null ? unordered() : ordered(plan.order());
  }

  /**
   * Returns the name of the index whose entries the rows follow, for continuation tokens; empty for
   * rows in another order. Defined after {@link #rows}.
   */
  String walkedIndex() {
    return walkedIndex;
  }

  /**
   * Returns a description of the order in which items are read. It depends on the plan, the
   * partition and, for some plans, the number of index entries. Defined after {@link #rows}.
   */
  String itemOrder() {
    return itemOrder;
  }

  /**
   * Returns the rows over a subquery. If the subquery combines rows, all are made before the first
   * one.
   */
  private Operator<ResultRow> over(PreparedQuery from) {
    RowStreamFactory inner =
        new RowStreamFactory(
            reader, plan, context, neighbors, partition, budget, from, Long.MAX_VALUE, null);
    RowCursor rows = new RowCursor(reader, from.program(), inner.rows(), budget, null);
    itemOrder = inner.itemOrder();
    CandidateSource source = CandidateSources.ofRows(rows);
    ItemContext ofRows = context.ofRows();
    if (program.isAggregate()) {
      return grouped(source, CoveringReader.NOT_COVERED, ofRows);
    }
    return program.isOrdered()
        ? sorted(source, ofRows)
        : items(source, CoveringReader.NOT_COVERED, ofRows);
  }

  // ---- within a partition

  /**
   * Returns the rows of the items of a partition. The items are read in document id order, and
   * sorted if the query has an order: an index gives the order of all partitions.
   */
  private Operator<ResultRow> within(PartitionItems items) {
    Roaring64Bitmap docIds = items.collect();
    OperatorStats collected = OperatorStats.optional("intersection", items.stats());
    AccessPath filter = plan.filter();
    if (program.isAggregate()) {
      boolean isCovered =
          plan.covered() && filter instanceof AccessPath.FullScan && hasNoExpiredItems();
      return grouped(
          CandidateSources.ofDocIds(narrowed(docIds, collected), 0, collected),
          isCovered ? CoveringReader.of(filter) : CoveringReader.NOT_COVERED);
    }
    boolean isSorted = plan.order() != null || plan.sorted();
    if (isSorted) {
      requireSortedToken();
    }
    ScanPosition after = after();
    if (!isSorted && after != null && after.kind() != ScanPosition.Kind.ITEMS) {
      throw ContinuationToken.planChanged();
    }
    Roaring64Bitmap found = narrowed(docIds, collected);
    long behind = isSorted || after == null ? 0 : after.docId();
    CandidateSource source = CandidateSources.ofDocIds(found, behind, collected);
    return isSorted ? sorted(source) : items(source);
  }

  /**
   * Returns the items of a partition that an index finds, if the index entries of all partitions
   * are few compared with the items of the partition; else all items of the partition.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  private Roaring64Bitmap narrowed(Roaring64Bitmap docIds, OperatorStats taker) {
    if (plan.filter() instanceof AccessPath.Empty) {
      return new Roaring64Bitmap();
    }
    long items = docIds.getLongCardinality();
    if (items <= SourceFactory.MAX_COLLECTED_ITEMS
        || plan.filter() instanceof AccessPath.FullScan) {
      return docIds;
    }
    int most = (int) Math.min(MAX_NARROWING, items / NARROWING_SHARE);
    Roaring64Bitmap few = sources.collectIfFew(plan.filter(), most, taker);
    if (few != null) {
      docIds.and(few);
    }
    return docIds;
  }

  // ---- aggregates

  private Operator<ResultRow> aggregated() {
    boolean covered = plan.covered() && hasNoExpiredItems();
    AccessPath.Scan scan = plan.filter() instanceof AccessPath.Scan only ? only : null;
    if (plan.prefix() > 0 && scan != null) {
      return byGroups(scan, covered);
    }
    MinMaxScan ends = plan.ends();
    if (ends != null && scan != null) {
      CandidateSource found = new MinMaxSource(reader, scan.index(), ends, covered, budget);
      return grouped(found, CoveringReader.of(scan));
    }
    return covered
        ? grouped(
            plan.filter() instanceof AccessPath.FullScan
                ? CandidateSources.ofItemKeys(reader)
                : found(),
            CoveringReader.of(plan.filter()))
        : grouped(found(), CoveringReader.NOT_COVERED);
  }

  /**
   * Returns the groups of an index in which those of equal values are adjacent.
   *
   * @param covered true if the entries cover the query, and no item has expired
   */
  private Operator<ResultRow> byGroups(AccessPath.Scan scan, boolean covered) {
    if (!covered) {
      return grouped(indexed(scan), CoveringReader.NOT_COVERED);
    }
    CoveringReader covering = CoveringReader.of(scan);
    return plan.skips()
        ? grouped(inOrder("skip", CandidateSources.distinct(reader, scan, plan.prefix())), covering)
        : new StreamedGroups(maker(context), found(), covering, plan.prefix());
  }

  // ---- without an order of an index

  private Operator<ResultRow> unordered() {
    if (plan.sorted()) {
      return scored();
    }
    if (plan.skips() && plan.filter() instanceof AccessPath.Scan scan) {
      return hasNoExpiredItems()
          ? items(
              inOrder("skip", CandidateSources.distinct(reader, scan, plan.prefix())),
              CoveringReader.of(scan),
              context)
          : items(indexed(scan));
    }
    String index = token == null ? "" : token.index();
    ScanPosition after = after();
    CandidateSource source = sources.of(plan.filter(), after, index);
    itemOrder = letter(source);
    if (source.start().kind() == ScanPosition.Kind.ENTRIES) {
      walkedIndex = after == null ? firstIndex(plan.filter()) : index;
    }
    return items(source);
  }

  private static String firstIndex(AccessPath access) {
    return ((AccessPath.Scan) access.parts().get(0)).index().name();
  }

  /** Returns rows that are sorted by a computed value, such as the distance of vectors. */
  private Operator<ResultRow> scored() {
    requireSortedToken();
    VectorScan vector = plan.vector();
    if (vector != null) {
      return new VectorRows(
          maker(context),
          vector,
          neighbors,
          lazyFilter(),
          prepared.query().where() != null,
          needed(),
          token);
    }
    NearestScan nearest = plan.nearest();
    long needed = needed();
    double after = token == null ? 0 : token.keys().get(0).doubleValue();
    boolean isNearestFirst =
        needed <= NearestRows.MAX_ROWS && !(plan.filter() instanceof AccessPath.Empty);
    return nearest != null && isNearestFirst
        ? new NearestRows(nearest, plan.filter(), sources, this::sorted, this::found, needed, after)
        : sorted(found());
  }

  // ---- in the order of an index

  private Operator<ResultRow> ordered(OrderScan order) {
    if (plan.filter() instanceof AccessPath.Empty) {
      return items(CandidateSources.none());
    }
    ScanPosition after = after();
    if (after != null && after.kind() == ScanPosition.Kind.SORTED) {
      requireSortedToken();
      return sorted(found());
    }
    if (plan.skips()) {
      boolean skips = hasNoExpiredItems();
      return items(
          walk(order, skips),
          skips ? CoveringReader.of(order.index()) : CoveringReader.NOT_COVERED,
          context);
    }
    OperatorStats collected = OperatorStats.optional("collect");
    Roaring64Bitmap few =
        after == null && !(plan.filter() instanceof AccessPath.FullScan)
            ? sources.collectIfFew(plan.filter(), collected)
            : null;
    if (few != null) {
      return sorted(CandidateSources.ofDocIds(few, 0, collected));
    }
    CandidateSource walk = walk(order, false);
    walk.stats().add(collected);
    return items(walk);
  }

  private CandidateSource walk(OrderScan order, boolean skips) {
    walkedIndex = order.index().name();
    if (token != null && !token.index().equals(walkedIndex)) {
      throw ContinuationToken.indexNotFound(token.index());
    }
    SortKeys keys = new SortKeys(plan.ordering());
    return new OrderSource(reader, order, keys, lazyFilter(), budget, skips, after());
  }

  // ---- parts

  /** Returns the source of all items that the plan's access path finds. */
  private CandidateSource found() {
    CandidateSource source = sources.of(plan.filter(), null, "");
    return inOrder(letter(source), source);
  }

  private static String letter(CandidateSource source) {
    return String.valueOf(source.start().kind().letter());
  }

  private CandidateSource inOrder(String order, CandidateSource source) {
    itemOrder = order;
    return source;
  }

  /** Returns the source of all items that have entries in the index of the plan's scan. */
  private CandidateSource indexed(AccessPath.Scan scan) {
    return scan.predicates().isEmpty()
        ? inOrder("indexed", CandidateSources.ofIndexedItems(reader))
        : found();
  }

  private boolean hasNoExpiredItems() {
    return reader.hasNoExpiredItems(expiryCheck);
  }

  private LazyFilter lazyFilter() {
    return new LazyFilter(plan.filter(), sources);
  }

  private @Nullable ScanPosition after() {
    return token == null ? null : token.after();
  }

  /** Throws INVALID_CONTINUATION if the token, if any, is not one of sorted rows. */
  private void requireSortedToken() {
    ScanPosition after = after();
    if (token != null
        && (after == null
            || after.kind() != ScanPosition.Kind.SORTED
            || token.keys().size() != prepared.query().orderBy().size())) {
      throw ContinuationToken.planChanged();
    }
  }

  /** Returns the maximum number of ordered rows needed, including the rows to skip. */
  private long needed() {
    long offset = token == null ? program.offset() : token.offset();
    long limit = token == null ? program.limit() : token.limit();
    long rows = Math.min(limit, mostRows);
    boolean all = program.isDistinct() || rows >= Long.MAX_VALUE - offset;
    return all ? Long.MAX_VALUE : offset + rows;
  }

  private RowMaker maker(ItemContext of) {
    return new RowMaker(reader, program, of, budget);
  }

  private Operator<ResultRow> items(CandidateSource source) {
    return items(source, CoveringReader.NOT_COVERED, context);
  }

  private Operator<ResultRow> items(
      CandidateSource source, CoveringReader covering, ItemContext of) {
    return new ItemRows(maker(of), source, covering, token);
  }

  private Operator<ResultRow> grouped(CandidateSource source, CoveringReader covering) {
    return grouped(source, covering, context);
  }

  private Operator<ResultRow> grouped(
      CandidateSource source, CoveringReader covering, ItemContext of) {
    return new GroupedRows(maker(of), source, covering);
  }

  private SortedRows sorted(CandidateSource source) {
    return sorted(source, context);
  }

  private SortedRows sorted(CandidateSource source, ItemContext of) {
    return new SortedRows(maker(of), source, needed(), token);
  }
}
