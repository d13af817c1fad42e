package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.internal.collection.Views;
import io.kvreactive.index.internal.plan.Explain;
import io.kvreactive.index.internal.plan.IndexMetrics;
import io.kvreactive.index.internal.plan.Plan;
import io.kvreactive.index.internal.store.CollectionView;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.KvEngine;
import java.util.List;
import java.util.concurrent.CancellationException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Answers queries from what is stored, by indexes where there are some. */
public final class StoredQueries implements Queries {
  private static final long BOOKMARK_MILLIS = 5_000;

  private final KvEngine engine;
  private final Views views;
  private final KvIndexOptions options;
  private final Scheduler worker;
  private final Statements statements = new Statements();

  /**
   * @param worker where all work is done; its threads must not be event loops
   */
  public StoredQueries(KvEngine engine, Views views, KvIndexOptions options, Scheduler worker) {
    this.engine = engine;
    this.views = views;
    this.options = options;
    this.worker = worker;
  }

  @Override
  public Flux<JsonNode> rows(SqlQuery query) {
    return new PulledFlux<>(() -> run(query, Long.MAX_VALUE), worker)
        .map(RowCursor.Numbered::value);
  }

  private QueryRun run(SqlQuery query, long mostRows) {
    long started = System.nanoTime();
    QueryBudget budget = new QueryBudget(query.options().memoryBytes());
    return run(statements.prepare(query), query.options(), mostRows, started, budget);
  }

  private QueryRun run(
      Prepared prepared, QueryOptions how, long mostRows, long started, QueryBudget budget) {
    return new QueryRun(engine, views, options, worker, prepared, how, mostRows, started, budget);
  }

  @Override
  public Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    return Mono.defer(
        () -> {
          QueryBudget budget = new QueryBudget(query.options().memoryBytes());
          return page(query, budget).subscribeOn(worker).doOnCancel(budget::cancel);
        });
  }

  /** The first rows are looked for at once, which only the budget ends. */
  private Mono<QueryPage<JsonNode>> page(SqlQuery query, QueryBudget budget) {
    QueryOptions how = query.options();
    return Mono.using(
        () -> {
          long started = System.nanoTime();
          return run(statements.prepare(query), how, how.maxItemCount() + 1L, started, budget);
        },
        run ->
            Mono.defer(() -> run.fill(new PageRows(how)).map(rows -> page(run, rows)))
                // nobody is there who would be told
                .onErrorComplete(e -> e instanceof CancellationException && budget.isCancelled()),
        QueryRun::close);
  }

  private static QueryPage<JsonNode> page(QueryRun run, PageRows page) {
    List<RowCursor.Numbered> rows = page.rows();
    if (page.hasMore() && run.isWhole()) {
      throw page.tooMany();
    }
    return new QueryPage<>(
        page.values(),
        page.hasMore() ? run.continuation(rows.get(rows.size() - 1)) : null,
        run.version(),
        run.metrics(rows.size()));
  }

  @Override
  public Mono<Explanation> explain(SqlQuery query) {
    return Mono.fromCallable(() -> statements.explicit(query))
        .subscribeOn(worker)
        .flatMap(
            prepared ->
                views
                    .refresh()
                    .publishOn(worker)
                    .flatMap(
                        view ->
                            explanation(query, prepared, view)
                                .flatMap(explained -> withLag(view, explained))));
  }

  /** Tells how many items indexes lag behind, where they may. */
  private Mono<Explanation> withLag(CollectionView view, Explanation explanation) {
    if (!view.available().lags()) {
      return Mono.just(explanation);
    }
    return Lag.count(engine, view)
        .publishOn(worker)
        .map(
            lag -> {
              lag.tell(explanation.plan());
              return explanation;
            });
  }

  private Mono<Explanation> explanation(SqlQuery query, Prepared prepared, CollectionView view) {
    QueryOptions how = query.options();
    Plan plan = prepared.plan(view, how);
    ObjectNode explained =
        Explain.plan(query.text(), prepared.reading().query(), plan, view.policyVersion());
    long now = options.clock().instant().getEpochSecond();
    return Mono.usingWhen(
            engine.snapshot(),
            snapshot ->
                Estimates.of(
                    new Session(engine, snapshot, worker, view, views::of, true, now),
                    Explain.scans(plan)),
            snapshot -> Mono.fromRunnable(snapshot::close))
        .map(
            estimates -> {
              Explain.estimate(explained, estimates);
              return new Explanation(explained, IndexMetrics.of(plan, view.available()));
            });
  }

  @Override
  public Flux<QueryUpdate<JsonNode>> watch(SqlQuery query) {
    return Flux.defer(() -> watch(query, new QueryBudget(query.options().memoryBytes())));
  }

  private Flux<QueryUpdate<JsonNode>> watch(SqlQuery query, QueryBudget budget) {
    return Mono.fromCallable(
            () -> new WatchedQuery(statements.explicit(query), views, options, budget))
        .subscribeOn(worker)
        .flatMapMany(watched -> views.current().flatMapMany(view -> watch(watched, query, view)))
        .doFinally(end -> budget.cancel());
  }

  /** Where indexes may lag all items are read: a row that is missed would be missed for good. */
  private Flux<QueryUpdate<JsonNode>> watch(
      WatchedQuery watched, SqlQuery query, CollectionView view) {
    QueryOptions how = query.options();
    QueryRun run =
        run(
            watched.items(),
            view.available().lags() ? how.withForceScan(true) : how,
            Long.MAX_VALUE,
            System.nanoTime(),
            new QueryBudget(how.memoryBytes()));
    Flux<QueryUpdate<JsonNode>> there =
        new PulledFlux<>(() -> run, worker).mapNotNull(row -> watched.there(run.view(), row));
    return Flux.concat(there, Flux.defer(() -> news(watched, run)));
  }

  /** From what the rows there were have been read at. */
  private Flux<QueryUpdate<JsonNode>> news(WatchedQuery watched, QueryRun run) {
    CollectionView view = run.view();
    ChangesRequest request =
        new ChangesRequest(
            view.keys().itemsStart(),
            view.keys().deletedEnd(),
            run.version(),
            BOOKMARK_MILLIS,
            false);
    Flux<QueryUpdate<JsonNode>> changes =
        engine
            .changes(request)
            .publishOn(worker, 1)
            .concatMapIterable(commit -> watched.updates(view, commit), 1);
    return changes.startWith(new QueryUpdate.Synced<>(run.version()));
  }
}
