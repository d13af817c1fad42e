package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.QueryException;
import io.kvreactive.index.QueryMetrics;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.internal.collection.CollectionMetadataCache;
import io.kvreactive.index.internal.eval.QueryProgram;
import io.kvreactive.index.internal.plan.AccessClass;
import io.kvreactive.index.internal.plan.AccessPath;
import io.kvreactive.index.internal.plan.IndexRef;
import io.kvreactive.index.internal.plan.MinMaxScan;
import io.kvreactive.index.internal.plan.NearestScan;
import io.kvreactive.index.internal.plan.Plan;
import io.kvreactive.index.internal.plan.VectorScan;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.NeighborIndexCache;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * One run of a query. Takes a snapshot with the first rows, and releases the snapshot when it is
 * closed.
 */
final class QueryRun {
  /**
   * Number of rows of a query without pages after which the budgets of steps and time are renewed.
   */
  private static final long ROWS_OF_BUDGET = 1000;

  private final KvEngine engine;
  private final CollectionMetadataCache metadataCache;
  private final DocumentStoreOptions options;
  private final Scheduler worker;
  private final EntryKeysCache indexKeys;
  private final NeighborIndexCache neighbors;
  private final PreparedQuery prepared;
  private final QueryOptions queryOptions;
  private final long mostRows;
  private long givenRows; // rows since the budget was renewed
  private final QueryBudget budget;
  private final long started;
  private long planned;
  private @Nullable ContinuationToken token;
  private @Nullable RowCursor cursor;
  private String walked = "";
  private KvEngine.@Nullable Snapshot held;
  private boolean closed;

  /**
   * Creates a run.
   *
   * @param mostRows the maximum number of rows that will be requested
   * @param started the {@code System.nanoTime} when the query began to be compiled
   * @param budget the budget of the query
   */
  QueryRun(
      KvEngine engine,
      CollectionMetadataCache metadataCache,
      DocumentStoreOptions options,
      Scheduler worker,
      EntryKeysCache indexKeys,
      NeighborIndexCache neighbors,
      PreparedQuery prepared,
      QueryOptions queryOptions,
      long mostRows,
      long started,
      QueryBudget budget) {
    this.engine = engine;
    this.metadataCache = metadataCache;
    this.options = options;
    this.worker = worker;
    this.indexKeys = indexKeys;
    this.neighbors = neighbors;
    this.prepared = prepared;
    this.queryOptions = queryOptions;
    this.mostRows = mostRows;
    this.budget = budget;
    this.started = started;
    if (!queryOptions.continuation().isEmpty()) {
      if (isWhole()) {
        throw ContinuationToken.invalid(
            "aggregates, GROUP BY and DISTINCT answer in one page", null);
      }
      token = ContinuationToken.decode(queryOptions.continuation(), prepared.hash());
    }
  }

  /** Returns true if the last rows have been emitted. */
  boolean done() {
    return cursor != null && cursor.done();
  }

  /** Emits at most {@code wanted} rows; may emit none before the end. */
  Mono<List<RowCursor.Numbered>> next(int wanted) {
    return mostRows == Long.MAX_VALUE
        ? MonoFusion.map(some(wanted), this::countRows)
        : some(wanted);
  }

  /** Counts the rows of a query without pages, which may continue as long as it gives rows. */
  private List<RowCursor.Numbered> countRows(List<RowCursor.Numbered> rows) {
    givenRows += rows.size();
    if (givenRows >= ROWS_OF_BUDGET) {
      givenRows = 0;
      budget.renew();
    }
    return rows;
  }

  private Mono<List<RowCursor.Numbered>> some(int wanted) {
    RowCursor open = cursor;
    if (open != null) {
      return open.next(wanted);
    }
    CollectionMetadata seen = metadataCache.known();
    return MonoFusion.flatMap(
        MonoFusion.flatMap(
            seen == null ? metadataCache.current().publishOn(worker) : Mono.just(seen),
            this::planned),
        metadata ->
            MonoFusion.flatMap(snapshot(), snapshot -> first(metadata, false, snapshot, wanted)));
  }

  /**
   * Plans the query. If no index serves it, the cached metadata may be stale and are read again.
   */
  private Mono<CollectionMetadata> planned(CollectionMetadata metadata) {
    try {
      plan(metadata);
      return Mono.just(metadata);
    } catch (QueryException e) {
      if (e.code() != IndexErrorCode.ORDER_NOT_INDEXED
          && e.code() != IndexErrorCode.SCAN_NOT_ENABLED) {
        return Mono.error(e);
      }
      return metadataCache.refresh().publishOn(worker).doOnNext(this::plan);
    }
  }

  private Plan plan(CollectionMetadata metadata) {
    Plan plan = prepared.plan(metadata, queryOptions);
    PreparedQuery reading = prepared.reading();
    if (!queryOptions.enableScan()
        && plan.accessClass() == AccessClass.FULL_SCAN
        && reading.program().hasItems()) {
      throw reading.scanNotEnabled();
    }
    return plan;
  }

  /**
   * Emits a snapshot. It is taken at once, so no other thread is needed: reads at the snapshot
   * continue on a worker.
   */
  private Mono<KvEngine.Snapshot> snapshot() {
    Mono<KvEngine.Snapshot> taken = engine.snapshot();
    KvEngine.Snapshot there = MonoFusion.value(taken);
    return there == null
        ? taken
            .map(this::hold)
            .publishOn(worker)
            .doOnDiscard(KvEngine.Snapshot.class, KvEngine.Snapshot::close)
        : Mono.just(hold(there));
  }

  private synchronized KvEngine.Snapshot hold(KvEngine.Snapshot taken) {
    held = taken;
    if (closed) {
      taken.close();
    }
    return taken;
  }

  private Mono<List<RowCursor.Numbered>> first(
      CollectionMetadata metadata, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Mono<List<RowCursor.Numbered>> rows;
    try {
      rows = opened(metadata, isVerified, snapshot, wanted);
    } catch (StalePlanException changed) {
      return again(changed, snapshot, wanted);
    }
    return rows instanceof Callable
        ? rows
        : rows.onErrorResume(StalePlanException.class, changed -> again(changed, snapshot, wanted));
  }

  private Mono<List<RowCursor.Numbered>> again(
      StalePlanException changed, KvEngine.Snapshot snapshot, int wanted) {
    CollectionMetadata now = changed.metadata();
    return now == null
        ? metadataCache.refresh().publishOn(worker).then(Mono.error(changed))
        : first(now, true, snapshot, wanted);
  }

  private Mono<List<RowCursor.Numbered>> opened(
      CollectionMetadata metadata, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Plan chosen = plan(metadata);
    QueryProgram reading = prepared.reading().program();
    // without the scores of the rows
    boolean isOrdered = chosen.vector() != null && !reading.isAggregate();
    SnapshotReader reader =
        new SnapshotReader(
            engine,
            snapshot,
            worker,
            indexKeys,
            metadata,
            metadataCache::of,
            isVerified || metadataCache.isConfirmed(metadata, snapshot.versionstamp()),
            options.clock().instant().getEpochSecond(),
            isOrdered ? reading.rowMembers() : reading.members());
    planned = System.nanoTime() - started;
    return MonoFusion.flatMap(
        rows(reader, chosen),
        rows -> {
          RowCursor made = new RowCursor(reader, prepared.program(), rows, budget, token);
          return MonoFusion.map(
              made.next(wanted),
              first -> {
                cursor = made;
                reader.confirm(metadataCache);
                return first;
              });
        });
  }

  // ---- sources of rows

  private Mono<RowStream> rows(SnapshotReader reader, Plan chosen) {
    Instant now = options.clock().instant();
    ItemContext context = ItemContext.of(reader.metadata().definition(), options.clock(), now, 0);
    SourceFactory sources = new SourceFactory(reader, context, budget);
    PreparedQuery from = prepared.from();
    if (from != null) {
      return over(reader, from, chosen, context.ofRows());
    }
    if (!prepared.program().hasItems()) {
      Candidate nothing = Candidate.of(1).standing(JsonNodeFactory.instance.objectNode());
      CandidateSource one = new ListSource(List.of(nothing));
      return Mono.just(
          prepared.program().isAggregate()
              ? grouped(reader, one, CoveringReader.NOT, context)
              : items(reader, one, context));
    }
    if (prepared.program().isAggregate()) {
      return aggregated(reader, chosen, sources, context);
    }
    return chosen.order() != null
        ? ordered(reader, chosen, sources, context)
        : unordered(reader, chosen, sources, context);
  }

  /**
   * Emits the rows over a subquery. If the subquery combines rows, all are made before the first
   * one.
   */
  private Mono<RowStream> over(
      SnapshotReader reader, PreparedQuery from, Plan chosen, ItemContext context) {
    QueryRun inner =
        new QueryRun(
            engine,
            metadataCache,
            options,
            worker,
            indexKeys,
            neighbors,
            from,
            queryOptions,
            Long.MAX_VALUE,
            started,
            budget);
    return MonoFusion.map(
        inner.rows(reader, chosen),
        rows -> {
          CandidateSource source =
              new SubquerySource(new RowCursor(reader, from.program(), rows, budget, null));
          if (prepared.program().isAggregate()) {
            return grouped(reader, source, CoveringReader.NOT, context);
          }
          return prepared.program().isOrdered()
              ? sorted(reader, source, context)
              : items(reader, source, context);
        });
  }

  private Mono<RowStream> aggregated(
      SnapshotReader reader, Plan chosen, SourceFactory sources, ItemContext context) {
    Mono<Boolean> covered = chosen.covered() ? reader.nothingDue() : Mono.just(false);
    return MonoFusion.flatMap(
        covered,
        yes -> {
          if (chosen.prefix() > 0 && chosen.filter() instanceof AccessPath.Scan scan) {
            return byGroups(reader, chosen, scan, yes, sources, context);
          }
          MinMaxScan ends = chosen.ends();
          if (ends != null && chosen.filter() instanceof AccessPath.Scan scan) {
            CandidateSource found = new MinMaxSource(reader, scan.index(), ends, yes, budget);
            return Mono.just(grouped(reader, found, CoveringReader.of(scan), context));
          }
          Mono<CandidateSource> source =
              yes && chosen.filter() instanceof AccessPath.FullScan
                  ? Mono.just(new FullScanSource(reader, 0, true))
                  : sources.of(chosen.filter(), null, "");
          CoveringReader covering = yes ? CoveringReader.of(chosen.filter()) : CoveringReader.NOT;
          return MonoFusion.map(source, found -> grouped(reader, found, covering, context));
        });
  }

  /**
   * Emits the groups of an index in which those of equal values are adjacent.
   *
   * @param covered true if the entries cover the query, and no item has expired
   */
  private Mono<RowStream> byGroups(
      SnapshotReader reader,
      Plan chosen,
      AccessPath.Scan scan,
      boolean covered,
      SourceFactory sources,
      ItemContext context) {
    if (!covered) {
      return MonoFusion.map(
          scan.predicates().isEmpty()
              ? Mono.just(FullScanSource.indexed(reader))
              : sources.of(scan, null, ""),
          source -> grouped(reader, source, CoveringReader.NOT, context));
    }
    CoveringReader covering = CoveringReader.of(scan);
    return chosen.skips()
        ? Mono.just(
            grouped(reader, new DistinctSource(reader, scan, chosen.prefix()), covering, context))
        : MonoFusion.map(
            sources.of(scan, null, ""),
            source ->
                new StreamedGroups(
                    reader,
                    prepared.program(),
                    source,
                    covering,
                    chosen.prefix(),
                    context,
                    budget));
  }

  private Mono<RowStream> unordered(
      SnapshotReader reader, Plan chosen, SourceFactory sources, ItemContext context) {
    ContinuationToken from = token;
    if (chosen.sorted()) {
      if (from != null) {
        sortedToken(from);
      }
      VectorScan vector = chosen.vector();
      if (vector != null) {
        LazyFilter filter = new LazyFilter(chosen.filter(), sources);
        return Mono.just(
            new VectorRows(
                reader,
                prepared.program(),
                vector,
                neighbors,
                filter,
                context,
                budget,
                needed(),
                from));
      }
      RowStream nearest = nearest(reader, chosen, sources, context);
      return nearest != null
          ? Mono.just(nearest)
          : MonoFusion.map(
              sources.of(chosen.filter(), null, ""), source -> sorted(reader, source, context));
    }
    if (chosen.skips() && chosen.filter() instanceof AccessPath.Scan scan) {
      return MonoFusion.flatMap(
          reader.nothingDue(),
          yes ->
              yes
                  ? Mono.just(
                      items(
                          reader,
                          new DistinctSource(reader, scan, chosen.prefix()),
                          CoveringReader.of(scan),
                          context))
                  : MonoFusion.map(
                      scan.predicates().isEmpty()
                          ? Mono.just(FullScanSource.indexed(reader))
                          : sources.of(scan, null, ""),
                      source -> items(reader, source, context)));
    }
    String index = from == null ? "" : from.index();
    ScanPosition after = from == null ? null : from.after();
    return MonoFusion.map(
        sources.of(chosen.filter(), after, index),
        source -> {
          if (source.start().kind() == ScanPosition.Kind.ENTRIES) {
            walked = after == null ? walkedBy(chosen.filter()) : index;
          }
          return items(reader, source, context);
        });
  }

  private static String walkedBy(AccessPath access) {
    AccessPath first =
        access instanceof AccessPath.Intersection both ? both.parts().get(0) : access;
    return ((AccessPath.Scan) first).index().name();
  }

  private Mono<RowStream> ordered(
      SnapshotReader reader, Plan chosen, SourceFactory sources, ItemContext context) {
    ContinuationToken from = token;
    ScanPosition after = from == null ? null : from.after();
    boolean narrowed =
        !(chosen.filter() instanceof AccessPath.FullScan)
            && !(chosen.filter() instanceof AccessPath.Empty);
    if (chosen.filter() instanceof AccessPath.Empty) {
      return Mono.just(items(reader, CandidateSource.NONE, context));
    }
    if (after != null && after.kind() == ScanPosition.Kind.SORTED) {
      sortedToken(Objects.requireNonNull(from));
      return MonoFusion.map(
          sources.of(chosen.filter(), null, ""), source -> sorted(reader, source, context));
    }
    if (chosen.skips()) {
      return MonoFusion.map(
          reader.nothingDue(),
          yes ->
              items(
                  reader,
                  walk(reader, chosen, sources, yes, from),
                  yes
                      ? CoveringReader.of(Objects.requireNonNull(chosen.order()).index())
                      : CoveringReader.NOT,
                  context));
    }
    Mono<Optional<Roaring64Bitmap>> few =
        narrowed && after == null ? sources.few(chosen.filter()) : Mono.just(Optional.empty());
    return MonoFusion.map(
        few,
        found ->
            found.isPresent()
                ? sorted(reader, new BitmapSource(found.get(), 0), context)
                : items(reader, walk(reader, chosen, sources, false, from), context));
  }

  private CandidateSource walk(
      SnapshotReader reader,
      Plan chosen,
      SourceFactory sources,
      boolean skips,
      @Nullable ContinuationToken from) {
    var order = Objects.requireNonNull(chosen.order());
    IndexRef index = order.index();
    walked = index.name();
    if (from != null && !from.index().equals(walked)) {
      throw ContinuationToken.invalid(
          "the index it walks through, " + from.index() + ", is gone", null);
    }
    return new OrderSource(
        reader,
        order,
        new SortKeys(chosen.ordering()),
        new LazyFilter(chosen.filter(), sources),
        budget,
        skips,
        from == null ? null : from.after());
  }

  private void sortedToken(ContinuationToken from) {
    ScanPosition after = from.after();
    if (after == null
        || after.kind() != ScanPosition.Kind.SORTED
        || from.keys().size() != prepared.query().orderBy().size()) {
      throw ContinuationToken.invalid("the order it was made for is served otherwise now", null);
    }
  }

  private RowStream items(SnapshotReader reader, CandidateSource source, ItemContext context) {
    return items(reader, source, CoveringReader.NOT, context);
  }

  private RowStream items(
      SnapshotReader reader, CandidateSource source, CoveringReader covering, ItemContext context) {
    return new ItemRows(reader, prepared.program(), source, covering, context, budget, token);
  }

  private RowStream grouped(
      SnapshotReader reader, CandidateSource source, CoveringReader covering, ItemContext context) {
    return new GroupedRows(reader, prepared.program(), source, covering, context, budget);
  }

  /**
   * Returns the first rows, if an index finds them nearest first and not too many are requested;
   * otherwise null.
   */
  private @Nullable RowStream nearest(
      SnapshotReader reader, Plan chosen, SourceFactory sources, ItemContext context) {
    NearestScan nearest = chosen.nearest();
    long most = needed();
    if (nearest == null
        || token != null
        || most > NearestRows.MAX_ROWS
        || chosen.filter() instanceof AccessPath.Empty) {
      return null;
    }
    return new NearestRows(
        nearest,
        chosen.filter(),
        sources,
        source -> sorted(reader, source, context),
        () -> sources.of(chosen.filter(), null, ""),
        most);
  }

  private SortedRows sorted(SnapshotReader reader, CandidateSource source, ItemContext context) {
    return new SortedRows(reader, prepared.program(), source, context, budget, needed(), token);
  }

  /** Returns the maximum number of ordered rows needed, including the rows to skip. */
  private long needed() {
    long offset = token == null ? prepared.program().offset() : token.offset();
    long limit = token == null ? prepared.program().limit() : token.limit();
    long rows = Math.min(limit, mostRows);
    boolean all = prepared.program().isDistinct() || rows >= Long.MAX_VALUE - offset;
    return all ? Long.MAX_VALUE : offset + rows;
  }

  /** Returns true if the query answers in one page. */
  boolean isWhole() {
    return prepared.from() != null
        || prepared.program().isAggregate()
        || prepared.program().isDistinct() && !prepared.program().isDistinctInOrder();
  }

  // ---- state after the first rows

  /** Returns the continuation token after a row; not for queries that answer in one page. */
  String continuation(RowCursor.Numbered row) {
    ResultRow out = row.out();
    return new ContinuationToken(
            prepared.hash(),
            walked,
            out.after(),
            out.partial(),
            out.rows(),
            out.keys(),
            row.toSkip(),
            row.left(),
            prepared.program().isDistinctInOrder() ? row.value() : null)
        .encode();
  }

  /** Returns the version of the snapshot; only after the first rows or the end. */
  Versionstamp version() {
    return open().reader().snapshot().versionstamp();
  }

  /**
   * Returns the metadata of the collection at the snapshot; only after the first rows or the end.
   */
  CollectionMetadata metadata() {
    return open().reader().metadata();
  }

  QueryMetrics metrics(long rows) {
    SnapshotReader reader = open().reader();
    return new QueryMetrics(
        reader.entriesRead(),
        reader.itemsLoaded(),
        reader.bytesLoaded(),
        rows,
        Duration.ofNanos(planned),
        Duration.ofNanos(System.nanoTime() - started));
  }

  private RowCursor open() {
    return Objects.requireNonNull(cursor, "cursor");
  }

  /** Makes the current call end soon. Thread-safe. */
  void cancel() {
    budget.cancel();
  }

  /** Releases the snapshot. Thread-safe and idempotent. */
  void close() {
    budget.cancel();
    synchronized (this) {
      closed = true;
      if (held != null) {
        held.close();
      }
    }
  }

  /** Fills a page. */
  Mono<PageCollector> fill(PageCollector page) {
    return AsyncLoop.until(
        () -> done() || page.hasMore(), () -> next(page.wanted()), page::add, () -> page);
  }
}
