package io.kvreactive.documents.internal.exec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.DemandGate;
import io.kvreactive.documents.internal.collection.PartitionPrefix;
import io.kvreactive.documents.internal.plan.IndexMetrics;
import io.kvreactive.documents.internal.plan.Plan;
import io.kvreactive.documents.internal.plan.PlanExplainer;
import io.kvreactive.documents.internal.plan.PlanExplainer.ScanEstimate;
import io.kvreactive.documents.internal.plan.Planner;
import io.kvreactive.documents.internal.plan.VectorScan;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.worker.HeldResults;
import io.kvreactive.documents.internal.worker.QueryJob;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.documents.internal.worker.Workers;
import io.kvreactive.internal.shared.PagedFlux;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.KvEngine;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Plans and runs the queries of a collection, by indexes where possible. */
public final class QueryEngine {
  private static final long BOOKMARK_MILLIS = 5_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final KvEngine engine;
  private final CollectionMetadataCache metadataCache;
  private final DocumentStoreOptions options;
  private final Workers.Share threads;
  private final StatementCache statements;
  private final NeighborIndexCache neighbors;
  private final EntryKeysCache indexKeys = new EntryKeysCache();

  /**
   * Creates a query engine.
   *
   * @param statements the cache of compiled statements
   * @param neighbors the cache of the structures of vector indexes
   * @param threads the threads for all work
   */
  public QueryEngine(
      KvEngine engine,
      CollectionMetadataCache metadataCache,
      DocumentStoreOptions options,
      StatementCache statements,
      NeighborIndexCache neighbors,
      Workers.Share threads) {
    this.engine = engine;
    this.metadataCache = metadataCache;
    this.options = options;
    this.statements = statements;
    this.neighbors = neighbors;
    this.threads = threads;
  }

  /**
   * Emits the rows of a query, as {@code DocumentCollection.query} does.
   *
   * @param type converts a row
   */
  public <R> Flux<R> rows(SqlQuery query, Function<JsonNode, R> type) {
    return Flux.deferContextual(
        context -> {
          QueryJob job = job(query, context);
          return rows(job, run(query, job, Long.MAX_VALUE))
              .mapNotNull(row -> job.unlessCancelled(() -> type.apply(row.value())));
        });
  }

  private static Flux<RowCursor.NumberedRow> rows(QueryJob job, QueryRun run) {
    return new PagedFlux<>(job.scheduler()::schedule, run);
  }

  private QueryJob job(SqlQuery query, ContextView context) {
    return threads.query(query.options().caller(), options.maxQueryTime(), context);
  }

  private QueryBudget budget(SqlQuery query, QueryJob job) {
    return new QueryBudget(job, query.options().memoryBytes(), options.maxQuerySteps());
  }

  private QueryRun run(SqlQuery query, QueryJob job, long mostRows) {
    return run(
        () -> statements.prepare(metadataCache.name(), query),
        query.options(),
        mostRows,
        job,
        budget(query, job));
  }

  private QueryRun run(
      Supplier<PreparedQuery> statement,
      QueryOptions queryOptions,
      long mostRows,
      QueryJob job,
      QueryBudget budget) {
    return new QueryRun(
        engine,
        metadataCache,
        options,
        indexKeys,
        neighbors,
        statement,
        queryOptions,
        mostRows,
        job,
        budget);
  }

  /** Emits the result of work on a query, which runs on its worker. */
  private <R> Mono<R> onWorker(SqlQuery query, Function<QueryJob, R> work) {
    return Mono.deferContextual(
        context -> {
          QueryJob job = job(query, context);
          return Mono.fromCallable(() -> job.unlessCancelled(() -> work.apply(job)))
              .subscribeOn(job.scheduler())
              .doFinally(end -> job.close());
        });
  }

  /** Emits one page of a query, as {@code DocumentCollection.page} does. */
  public Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    return onWorker(query, job -> page(query, job));
  }

  private QueryPage<JsonNode> page(SqlQuery query, QueryJob job) {
    QueryOptions queryOptions = query.options();
    QueryRun run = run(query, job, queryOptions.maxItemCount() + 1L);
    try {
      QueryPage<JsonNode> page =
          run.isWhole() ? wholePage(run, queryOptions) : page(run, run.page());
      return queryOptions.explain()
          ? page.withExplanation(explanation(query, run.operators(page.items().size())))
          : page;
    } finally {
      run.release();
    }
  }

  private static QueryPage<JsonNode> page(QueryRun run, PageCollector page) {
    List<RowCursor.NumberedRow> rows = page.rows();
    return new QueryPage<>(
        page.values(),
        page.hasMore() ? run.continuation(rows.get(rows.size() - 1)) : null,
        run.version(),
        run.metrics(rows.size()));
  }

  /**
   * Returns a page of a query that combines rows. A later page is part of the held result; if that
   * is gone, the result is computed again.
   */
  private QueryPage<JsonNode> wholePage(QueryRun run, QueryOptions queryOptions) {
    ContinuationToken token = run.token();
    if (token == null) {
      return firstOfWhole(run);
    }
    CollectionMetadata metadata =
        WorkerThread.await(metadataCache.refresh()); // the collection may have been dropped
    HeldResults.Key key = run.heldKey(requireNonNull(token.held()).id(), metadata);
    if (threads.heldResults().get(key) instanceof WholeResult held) {
      int from = (int) Math.min(token.rows(), held.size());
      return laterOfWhole(run, key, held, from, queryOptions);
    }
    WholeResult all = requireNonNull(run.pageOfWhole(true).wholeIfMore());
    int from = token.positionIn(all);
    HeldResults.Key recomputed = run.heldKey(newId(), run.metadata());
    threads.heldResults().put(recomputed, all);
    return laterOfWhole(run, recomputed, all, from, queryOptions);
  }

  private QueryPage<JsonNode> firstOfWhole(QueryRun run) {
    PageCollector page = run.pageOfWhole(false);
    WholeResult all = page.wholeIfMore();
    if (all == null) {
      return page(run, page);
    }
    String id = newId();
    threads.heldResults().put(run.heldKey(id, run.metadata()), all);
    int taken = page.rows().size();
    return new QueryPage<>(
        page.values(), run.continuation(id, all, taken), run.version(), run.metrics(taken));
  }

  private QueryPage<JsonNode> laterOfWhole(
      QueryRun run, HeldResults.Key key, WholeResult all, int from, QueryOptions queryOptions) {
    int end = all.pageEnd(from, queryOptions);
    if (end == all.size()) {
      threads.heldResults().remove(key);
    }
    return new QueryPage<>(
        all.rows(from, end),
        end == all.size() ? null : run.continuation(key.id(), all, end),
        all.version(),
        run.metrics(end - from));
  }

  private static String newId() {
    byte[] id = new byte[12];
    RANDOM.nextBytes(id);
    return Base64.getUrlEncoder().encodeToString(id);
  }

  /** Emits the plan of a query, as {@code DocumentCollection.explain} does. */
  public Mono<Explanation> explain(SqlQuery query) {
    return onWorker(query, job -> explanation(query, null));
  }

  private Explanation explanation(SqlQuery query, @Nullable ObjectNode operators) {
    PreparedQuery prepared = statements.explicit(metadataCache.name(), query);
    CollectionMetadata metadata = WorkerThread.await(metadataCache.refresh());
    QueryOptions queryOptions = query.options();
    Plan plan = prepared.plan(metadata, queryOptions);
    ObjectNode explained =
        PlanExplainer.plan(
            query.text(), prepared.reading().query(), plan, metadata.policyVersion());
    VectorScan vector = plan.vector();
    if (vector != null && vector.isApproximate()) {
      PlanExplainer.neighbors(
          explained, vector, neighbors.find(NeighborIndexCache.Key.of(metadata, vector.index())));
    }
    PartitionPrefix prefix = PartitionPrefix.of(queryOptions.partitionKey(), metadata);
    if (prefix != null) {
      PlanExplainer.partition(explained, prefix.values(), prefix.isComplete());
    }
    PlanExplainer.estimate(explained, estimates(plan, metadata));
    if (metadata.available().lags()) {
      IndexLag.count(engine, metadata).addTo(explained);
    }
    return new Explanation(
        explained,
        IndexMetrics.of(
            plan,
            metadata.available(),
            available ->
                Planner.plan(
                    prepared.reading().query(),
                    Map.of(),
                    available,
                    queryOptions.plannerMode(),
                    queryOptions.forceScan())),
        operators);
  }

  private List<ScanEstimate> estimates(Plan plan, CollectionMetadata metadata) {
    long now = options.clock().instant().getEpochSecond();
    try (QuerySnapshot held = new QuerySnapshot()) {
      SnapshotReader reader =
          new SnapshotReader(
              engine, held.take(engine), indexKeys, metadata, metadataCache::of, true, now, null);
      return ScanEstimator.of(reader, PlanExplainer.scans(plan));
    }
  }

  /** Emits the rows of a query and their changes, as {@code DocumentCollection.watchQuery} does. */
  public Flux<QueryUpdate<JsonNode>> watch(SqlQuery query) {
    return Flux.deferContextual(
        context ->
            Flux.using(
                () -> job(query, context), job -> watch(query, job, context), QueryJob::close));
  }

  private Flux<QueryUpdate<JsonNode>> watch(SqlQuery query, QueryJob job, ContextView context) {
    return Mono.fromCallable(
            () ->
                new WatchedQuery(
                    statements.explicit(metadataCache.name(), query),
                    metadataCache,
                    options,
                    budget(query, job),
                    query.options().partitionKey()))
        .subscribeOn(job.scheduler())
        .flatMapMany(
            watched ->
                metadataCache
                    .refresh()
                    .flatMapMany(metadata -> watch(watched, query, metadata, job, context)));
  }

  /**
   * Watches a query. If indexes may lag, all items are read: a row missed once would be missed for
   * good.
   */
  private Flux<QueryUpdate<JsonNode>> watch(
      WatchedQuery watched,
      SqlQuery query,
      CollectionMetadata metadata,
      QueryJob job,
      ContextView context) {
    QueryOptions queryOptions = query.options();
    return Flux.using(
        () -> job(query, context),
        rows -> {
          QueryRun run =
              run(
                  watched::items,
                  metadata.available().lags() ? queryOptions.withForceScan(true) : queryOptions,
                  Long.MAX_VALUE,
                  rows,
                  budget(query, rows));
          Flux<QueryUpdate<JsonNode>> initialRows =
              rows(rows, run).mapNotNull(row -> watched.existing(run.metadata(), row));
          return Flux.concat(initialRows, Flux.defer(() -> laterUpdates(watched, run, job)));
        },
        QueryJob::close);
  }

  /** Emits the changes after the version of the initial rows. */
  private Flux<QueryUpdate<JsonNode>> laterUpdates(
      WatchedQuery watched, QueryRun run, QueryJob job) {
    CollectionMetadata metadata = run.metadata();
    ChangesRequest request =
        new ChangesRequest(
            metadata.keys().itemsStart(),
            metadata.keys().deletedEnd(),
            run.version(),
            BOOKMARK_MILLIS,
            false);
    Flux<QueryUpdate<JsonNode>> changes =
        DemandGate.apply(
            engine.changes(request),
            commits ->
                commits
                    .publishOn(job.scheduler(), 1)
                    .concatMapIterable(
                        commit -> {
                          job.rest();
                          return watched.updates(metadata, commit);
                        },
                        1));
    return changes.startWith(new QueryUpdate.Synced<>(run.version()));
  }
}
