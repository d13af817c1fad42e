package io.kvreactive.index.internal.exec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.internal.collection.CollectionMetadataCache;
import io.kvreactive.index.internal.collection.DemandGate;
import io.kvreactive.index.internal.collection.PartitionPrefix;
import io.kvreactive.index.internal.plan.IndexMetrics;
import io.kvreactive.index.internal.plan.Plan;
import io.kvreactive.index.internal.plan.PlanExplainer;
import io.kvreactive.index.internal.plan.Planner;
import io.kvreactive.index.internal.plan.VectorScan;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.NeighborIndexCache;
import io.kvreactive.index.internal.worker.HeldResults;
import io.kvreactive.index.internal.worker.QueryJob;
import io.kvreactive.index.internal.worker.Workers;
import io.kvreactive.internal.shared.PagedFlux;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.KvEngine;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

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
    return Flux.defer(
        () -> {
          QueryJob job = job(query);
          return rows(job, () -> run(query, job, Long.MAX_VALUE))
              .handle((row, sink) -> job.unlessCancelled(() -> sink.next(type.apply(row.value()))));
        });
  }

  private static Flux<RowCursor.NumberedRow> rows(QueryJob job, Supplier<QueryRun> runs) {
    return new PagedFlux<>(job.scheduler()::schedule, new QueryPages(job, runs));
  }

  private QueryJob job(SqlQuery query) {
    return threads.query(query.options().caller(), options.maxQueryTime());
  }

  private QueryBudget budget(SqlQuery query, QueryJob job) {
    return new QueryBudget(job, query.options().memoryBytes(), options.maxQuerySteps());
  }

  private QueryRun run(SqlQuery query, QueryJob job, long mostRows) {
    long started = System.nanoTime();
    QueryBudget budget = budget(query, job);
    return run(
        statements.prepare(metadataCache.name(), query),
        query.options(),
        job,
        mostRows,
        started,
        budget);
  }

  private QueryRun run(
      PreparedQuery prepared,
      QueryOptions queryOptions,
      QueryJob job,
      long mostRows,
      long started,
      QueryBudget budget) {
    return new QueryRun(
        engine,
        metadataCache,
        options,
        job.scheduler(),
        indexKeys,
        neighbors,
        prepared,
        queryOptions,
        mostRows,
        started,
        budget);
  }

  /** Emits one page of a query, as {@code DocumentCollection.page} does. */
  public Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    return Mono.defer(
        () -> {
          QueryJob job = job(query);
          return page(query, job).subscribeOn(job.scheduler()).doFinally(end -> job.close());
        });
  }

  private Mono<QueryPage<JsonNode>> page(SqlQuery query, QueryJob job) {
    QueryOptions queryOptions = query.options();
    return Mono.using(
        () -> run(query, job, queryOptions.maxItemCount() + 1L),
        run ->
            Mono.defer(() -> run.isWhole() ? wholePage(run, queryOptions) : page(run))
                // the error has no subscriber any more
                .onErrorComplete(e -> e instanceof CancellationException && job.isCancelled()),
        QueryRun::close);
  }

  private static Mono<QueryPage<JsonNode>> page(QueryRun run) {
    return run.page().map(page -> page(run, page));
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
   * Emits a page of a query that combines rows. A later page is part of the held result; if that is
   * gone, the result is computed again.
   */
  private Mono<QueryPage<JsonNode>> wholePage(QueryRun run, QueryOptions queryOptions) {
    ContinuationToken token = run.token();
    if (token == null) {
      return firstOfWhole(run);
    }
    String id = requireNonNull(token.held()).id();
    return metadataCache
        .refresh() // the collection may have been dropped
        .publishOn(run.worker())
        .flatMap(
            metadata -> {
              HeldResults.Key key = run.heldKey(id, metadata);
              return threads.heldResults().get(key) instanceof WholeResult held
                  ? Mono.just(
                      laterOfWhole(
                          run, key, held, (int) Math.min(token.rows(), held.size()), queryOptions))
                  : recomputedOfWhole(run, token, queryOptions);
            });
  }

  private Mono<QueryPage<JsonNode>> firstOfWhole(QueryRun run) {
    return run.pageOfWhole(false)
        .map(
            page -> {
              WholeResult all = page.wholeIfMore();
              if (all == null) {
                return page(run, page);
              }
              String id = newId();
              threads.heldResults().put(run.heldKey(id, run.metadata()), all);
              int taken = page.rows().size();
              return new QueryPage<>(
                  page.values(),
                  run.continuation(id, all, taken),
                  run.version(),
                  run.metrics(taken));
            });
  }

  private Mono<QueryPage<JsonNode>> recomputedOfWhole(
      QueryRun run, ContinuationToken token, QueryOptions queryOptions) {
    return run.pageOfWhole(true)
        .map(
            page -> {
              WholeResult all = requireNonNull(page.wholeIfMore());
              int from = token.positionIn(all);
              HeldResults.Key key = run.heldKey(newId(), run.metadata());
              threads.heldResults().put(key, all);
              return laterOfWhole(run, key, all, from, queryOptions);
            });
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
    return Mono.using(() -> job(query), job -> explain(query, job.scheduler()), QueryJob::close);
  }

  private Mono<Explanation> explain(SqlQuery query, Scheduler worker) {
    return Mono.fromCallable(() -> statements.explicit(metadataCache.name(), query))
        .subscribeOn(worker)
        .flatMap(
            prepared ->
                metadataCache
                    .refresh()
                    .publishOn(worker)
                    .flatMap(
                        metadata ->
                            explanation(query, prepared, metadata, worker)
                                .flatMap(explained -> withLag(metadata, explained, worker))));
  }

  /** Adds the lag of the indexes, if they may lag. */
  private Mono<Explanation> withLag(
      CollectionMetadata metadata, Explanation explanation, Scheduler worker) {
    if (!metadata.available().lags()) {
      return Mono.just(explanation);
    }
    return IndexLag.count(engine, worker, metadata)
        .publishOn(worker)
        .map(
            lag -> {
              lag.addTo(explanation.plan());
              return explanation;
            });
  }

  private Mono<Explanation> explanation(
      SqlQuery query, PreparedQuery prepared, CollectionMetadata metadata, Scheduler worker) {
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
    long now = options.clock().instant().getEpochSecond();
    return Mono.usingWhen(
            engine.snapshot(),
            snapshot ->
                ScanEstimator.of(
                    new SnapshotReader(
                        engine,
                        snapshot,
                        worker,
                        indexKeys,
                        metadata,
                        metadataCache::of,
                        true,
                        now,
                        null),
                    PlanExplainer.scans(plan)),
            snapshot -> Mono.fromRunnable(snapshot::close))
        .map(
            estimates -> {
              PlanExplainer.estimate(explained, estimates);
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
                              queryOptions.forceScan())));
            });
  }

  /** Emits the rows of a query and their changes, as {@code DocumentCollection.watchQuery} does. */
  public Flux<QueryUpdate<JsonNode>> watch(SqlQuery query) {
    return Flux.using(() -> job(query), job -> watch(query, job), QueryJob::close);
  }

  private Flux<QueryUpdate<JsonNode>> watch(SqlQuery query, QueryJob job) {
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
                    .flatMapMany(metadata -> watch(watched, query, metadata, job)));
  }

  /**
   * Watches a query. If indexes may lag, all items are read: a row missed once would be missed for
   * good.
   */
  private Flux<QueryUpdate<JsonNode>> watch(
      WatchedQuery watched, SqlQuery query, CollectionMetadata metadata, QueryJob job) {
    QueryOptions queryOptions = query.options();
    return Flux.using(
        () -> job(query),
        rows -> {
          QueryRun run =
              run(
                  watched.items(),
                  metadata.available().lags() ? queryOptions.withForceScan(true) : queryOptions,
                  rows,
                  Long.MAX_VALUE,
                  System.nanoTime(),
                  budget(query, rows));
          Flux<QueryUpdate<JsonNode>> initialRows =
              rows(rows, () -> run).mapNotNull(row -> watched.existing(run.metadata(), row));
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
