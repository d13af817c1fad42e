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

/** One run of a query: takes a snapshot with the first rows, and gives it up when it is closed. */
final class QueryRun implements PulledFlux.Puller<RowCursor.Numbered> {
  /** Rows that a query without pages gives for each budget of steps and time. */
  private static final long ROWS_OF_BUDGET = 1000;

  private final KvEngine engine;
  private final CollectionMetadataCache views;
  private final DocumentStoreOptions options;
  private final Scheduler worker;
  private final EntryKeysCache indexKeys;
  private final NeighborIndexCache neighbors;
  private final PreparedQuery prepared;
  private final QueryOptions how;
  private final long mostRows;
  private long givenRows; // since the budget was renewed
  private final QueryBudget budget;
  private final long started;
  private long planned;
  private @Nullable ContinuationToken token;
  private @Nullable RowCursor cursor;
  private String walked = "";
  private KvEngine.@Nullable Snapshot held;
  private boolean closed;

  /**
   * @param mostRows how many rows will be asked for at most
   * @param started {@code System.nanoTime} when the query began to be compiled
   * @param budget what it may hold
   */
  QueryRun(
      KvEngine engine,
      CollectionMetadataCache views,
      DocumentStoreOptions options,
      Scheduler worker,
      EntryKeysCache indexKeys,
      NeighborIndexCache neighbors,
      PreparedQuery prepared,
      QueryOptions how,
      long mostRows,
      long started,
      QueryBudget budget) {
    this.engine = engine;
    this.views = views;
    this.options = options;
    this.worker = worker;
    this.indexKeys = indexKeys;
    this.neighbors = neighbors;
    this.prepared = prepared;
    this.how = how;
    this.mostRows = mostRows;
    this.budget = budget;
    this.started = started;
    if (!how.continuation().isEmpty()) {
      if (isWhole()) {
        throw ContinuationToken.invalid(
            "aggregates, GROUP BY and DISTINCT answer in one page", null);
      }
      token = ContinuationToken.decode(how.continuation(), prepared.hash());
    }
  }

  @Override
  public boolean done() {
    return cursor != null && cursor.done();
  }

  @Override
  public Mono<List<RowCursor.Numbered>> next(int wanted) {
    return mostRows == Long.MAX_VALUE ? MonoFusion.map(some(wanted), this::given) : some(wanted);
  }

  /** Counts rows of a query without pages, which may go on as long as it gives some. */
  private List<RowCursor.Numbered> given(List<RowCursor.Numbered> rows) {
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
    CollectionMetadata seen = views.known();
    return MonoFusion.flatMap(
        MonoFusion.flatMap(
            seen == null ? views.current().publishOn(worker) : Mono.just(seen), this::planned),
        view -> MonoFusion.flatMap(snapshot(), snapshot -> first(view, false, snapshot, wanted)));
  }

  /** Plans; when no index serves, the collection may have changed since it was seen. */
  private Mono<CollectionMetadata> planned(CollectionMetadata view) {
    try {
      plan(view);
      return Mono.just(view);
    } catch (QueryException e) {
      if (e.code() != IndexErrorCode.ORDER_NOT_INDEXED
          && e.code() != IndexErrorCode.SCAN_NOT_ENABLED) {
        return Mono.error(e);
      }
      return views.refresh().publishOn(worker).doOnNext(this::plan);
    }
  }

  private Plan plan(CollectionMetadata view) {
    Plan plan = prepared.plan(view, how);
    PreparedQuery reading = prepared.reading();
    if (!how.enableScan()
        && plan.accessClass() == AccessClass.FULL_SCAN
        && reading.program().hasItems()) {
      throw reading.scanNotEnabled();
    }
    return plan;
  }

  /** Taken at once, so no other thread is needed: what reads at it comes back on a worker. */
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
      CollectionMetadata view, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Mono<List<RowCursor.Numbered>> rows;
    try {
      rows = opened(view, isVerified, snapshot, wanted);
    } catch (StalePlanException changed) {
      return again(changed, snapshot, wanted);
    }
    return rows instanceof Callable
        ? rows
        : rows.onErrorResume(StalePlanException.class, changed -> again(changed, snapshot, wanted));
  }

  private Mono<List<RowCursor.Numbered>> again(
      StalePlanException changed, KvEngine.Snapshot snapshot, int wanted) {
    CollectionMetadata now = changed.view();
    return now == null
        ? views.refresh().publishOn(worker).then(Mono.error(changed))
        : first(now, true, snapshot, wanted);
  }

  private Mono<List<RowCursor.Numbered>> opened(
      CollectionMetadata view, boolean isVerified, KvEngine.Snapshot snapshot, int wanted) {
    Plan chosen = plan(view);
    QueryProgram reading = prepared.reading().program();
    boolean isOrdered = chosen.vector() != null && !reading.isAggregate(); // without its scores
    SnapshotReader session =
        new SnapshotReader(
            engine,
            snapshot,
            worker,
            indexKeys,
            view,
            views::of,
            isVerified || views.isConfirmed(view, snapshot.versionstamp()),
            options.clock().instant().getEpochSecond(),
            isOrdered ? reading.rowMembers() : reading.members());
    planned = System.nanoTime() - started;
    return MonoFusion.flatMap(
        rows(session, chosen),
        rows -> {
          RowCursor made = new RowCursor(session, prepared.program(), rows, budget, token);
          return MonoFusion.map(
              made.next(wanted),
              first -> {
                cursor = made;
                session.confirm(views);
                return first;
              });
        });
  }

  // ---- what rows come from

  private Mono<RowStream> rows(SnapshotReader session, Plan chosen) {
    Instant now = options.clock().instant();
    ItemContext context = ItemContext.of(session.view().definition(), options.clock(), now, 0);
    SourceFactory sources = new SourceFactory(session, context, budget);
    PreparedQuery from = prepared.from();
    if (from != null) {
      return over(session, from, chosen, context.ofRows());
    }
    if (!prepared.program().hasItems()) {
      Candidate nothing = Candidate.of(1).standing(JsonNodeFactory.instance.objectNode());
      CandidateSource one = new ListSource(List.of(nothing));
      return Mono.just(
          prepared.program().isAggregate()
              ? grouped(session, one, CoveringReader.NOT, context)
              : items(session, one, context));
    }
    if (prepared.program().isAggregate()) {
      return aggregated(session, chosen, sources, context);
    }
    return chosen.order() != null
        ? ordered(session, chosen, sources, context)
        : unordered(session, chosen, sources, context);
  }

  /** Of the rows of a subquery, all of which come before the first one where they are combined. */
  private Mono<RowStream> over(
      SnapshotReader session, PreparedQuery from, Plan chosen, ItemContext context) {
    QueryRun inner =
        new QueryRun(
            engine,
            views,
            options,
            worker,
            indexKeys,
            neighbors,
            from,
            how,
            Long.MAX_VALUE,
            started,
            budget);
    return MonoFusion.map(
        inner.rows(session, chosen),
        rows -> {
          CandidateSource source =
              new SubquerySource(new RowCursor(session, from.program(), rows, budget, null));
          if (prepared.program().isAggregate()) {
            return grouped(session, source, CoveringReader.NOT, context);
          }
          return prepared.program().isOrdered()
              ? sorted(session, source, context)
              : items(session, source, context);
        });
  }

  private Mono<RowStream> aggregated(
      SnapshotReader session, Plan chosen, SourceFactory sources, ItemContext context) {
    Mono<Boolean> covered = chosen.covered() ? session.nothingDue() : Mono.just(false);
    return MonoFusion.flatMap(
        covered,
        yes -> {
          MinMaxScan ends = chosen.ends();
          if (ends != null && chosen.filter() instanceof AccessPath.Scan scan) {
            CandidateSource found = new MinMaxSource(session, scan.index(), ends, yes, budget);
            return Mono.just(grouped(session, found, CoveringReader.of(scan), context));
          }
          Mono<CandidateSource> source =
              yes && chosen.filter() instanceof AccessPath.FullScan
                  ? Mono.just(new FullScanSource(session, 0, true))
                  : sources.of(chosen.filter(), null, "");
          CoveringReader covering = yes ? CoveringReader.of(chosen.filter()) : CoveringReader.NOT;
          return MonoFusion.map(source, found -> grouped(session, found, covering, context));
        });
  }

  private Mono<RowStream> unordered(
      SnapshotReader session, Plan chosen, SourceFactory sources, ItemContext context) {
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
                session,
                prepared.program(),
                vector,
                neighbors,
                filter,
                context,
                budget,
                needed(),
                from));
      }
      RowStream nearest = nearest(session, chosen, sources, context);
      return nearest != null
          ? Mono.just(nearest)
          : MonoFusion.map(
              sources.of(chosen.filter(), null, ""), source -> sorted(session, source, context));
    }
    if (chosen.skips() && chosen.filter() instanceof AccessPath.Scan scan) {
      return MonoFusion.flatMap(
          session.nothingDue(),
          yes ->
              yes
                  ? Mono.just(
                      items(
                          session,
                          new DistinctSource(session, scan),
                          CoveringReader.of(scan),
                          context))
                  : MonoFusion.map(
                      scan.predicates().isEmpty()
                          ? Mono.just(FullScanSource.indexed(session))
                          : sources.of(scan, null, ""),
                      source -> items(session, source, context)));
    }
    String index = from == null ? "" : from.index();
    ScanPosition after = from == null ? null : from.after();
    return MonoFusion.map(
        sources.of(chosen.filter(), after, index),
        source -> {
          if (source.start().kind() == ScanPosition.Kind.ENTRIES) {
            walked = after == null ? walkedBy(chosen.filter()) : index;
          }
          return items(session, source, context);
        });
  }

  private static String walkedBy(AccessPath access) {
    AccessPath first =
        access instanceof AccessPath.Intersection both ? both.parts().get(0) : access;
    return ((AccessPath.Scan) first).index().name();
  }

  private Mono<RowStream> ordered(
      SnapshotReader session, Plan chosen, SourceFactory sources, ItemContext context) {
    ContinuationToken from = token;
    ScanPosition after = from == null ? null : from.after();
    boolean narrowed =
        !(chosen.filter() instanceof AccessPath.FullScan)
            && !(chosen.filter() instanceof AccessPath.Empty);
    if (chosen.filter() instanceof AccessPath.Empty) {
      return Mono.just(items(session, CandidateSource.NONE, context));
    }
    if (after != null && after.kind() == ScanPosition.Kind.SORTED) {
      sortedToken(Objects.requireNonNull(from));
      return MonoFusion.map(
          sources.of(chosen.filter(), null, ""), source -> sorted(session, source, context));
    }
    if (chosen.skips()) {
      return MonoFusion.map(
          session.nothingDue(),
          yes ->
              items(
                  session,
                  walk(session, chosen, sources, yes, from),
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
                ? sorted(session, new BitmapSource(found.get(), 0), context)
                : items(session, walk(session, chosen, sources, false, from), context));
  }

  private CandidateSource walk(
      SnapshotReader session,
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
        session,
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

  private RowStream items(SnapshotReader session, CandidateSource source, ItemContext context) {
    return items(session, source, CoveringReader.NOT, context);
  }

  private RowStream items(
      SnapshotReader session,
      CandidateSource source,
      CoveringReader covering,
      ItemContext context) {
    return new ItemRows(session, prepared.program(), source, covering, context, budget, token);
  }

  private RowStream grouped(
      SnapshotReader session,
      CandidateSource source,
      CoveringReader covering,
      ItemContext context) {
    return new GroupedRows(session, prepared.program(), source, covering, context, budget);
  }

  /** The first rows, where an index finds them nearest first and not too many are asked for. */
  private @Nullable RowStream nearest(
      SnapshotReader session, Plan chosen, SourceFactory sources, ItemContext context) {
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
        source -> sorted(session, source, context),
        () -> sources.of(chosen.filter(), null, ""),
        most);
  }

  private SortedRows sorted(SnapshotReader session, CandidateSource source, ItemContext context) {
    return new SortedRows(session, prepared.program(), source, context, budget, needed(), token);
  }

  /** Returns how many rows of the order are needed at most, those to be skipped included. */
  private long needed() {
    long offset = token == null ? prepared.program().offset() : token.offset();
    long limit = token == null ? prepared.program().limit() : token.limit();
    long rows = Math.min(limit, mostRows);
    boolean all = prepared.program().isDistinct() || rows >= Long.MAX_VALUE - offset;
    return all ? Long.MAX_VALUE : offset + rows;
  }

  /** Whether it answers in one page. */
  boolean isWhole() {
    return prepared.from() != null
        || prepared.program().isAggregate()
        || prepared.program().isDistinct() && !prepared.program().isDistinctInOrder();
  }

  // ---- what is known then

  /** Where to go on behind a row; not for queries that answer in one page. */
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

  /** Of the snapshot; only once there were rows, or none. */
  Versionstamp version() {
    return open().session().snapshot().versionstamp();
  }

  /** The collection as it was in the snapshot; only once there were rows, or none. */
  CollectionMetadata view() {
    return open().session().view();
  }

  QueryMetrics metrics(long rows) {
    SnapshotReader session = open().session();
    return new QueryMetrics(
        session.entriesRead(),
        session.itemsLoaded(),
        session.bytesLoaded(),
        rows,
        Duration.ofNanos(planned),
        Duration.ofNanos(System.nanoTime() - started));
  }

  private RowCursor open() {
    return Objects.requireNonNull(cursor, "cursor");
  }

  @Override
  public void cancel() {
    budget.cancel();
  }

  @Override
  public void close() {
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
