package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    return run(statements.prepare(query), query.options(), mostRows, started);
  }

  private QueryRun run(Prepared prepared, QueryOptions how, long mostRows, long started) {
    return new QueryRun(engine, views, options, worker, prepared, how, mostRows, started);
  }

  @Override
  public Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    int most = query.options().maxItemCount();
    return Mono.using(
            () -> run(query, most + 1L),
            run -> run.collect(most + 1).map(rows -> page(query, run, rows)),
            QueryRun::close)
        .subscribeOn(worker);
  }

  private QueryPage<JsonNode> page(SqlQuery query, QueryRun run, List<RowCursor.Numbered> rows) {
    int most = query.options().maxItemCount();
    boolean more = rows.size() > most;
    if (more && run.isWhole()) {
      throw new IndexException(
          IndexErrorCode.LIMIT_EXCEEDED,
          "Aggregates, GROUP BY and DISTINCT answer in one page, and there are more than "
              + most
              + " rows: raise maxItemCount, or read the rows without pages.");
    }
    List<RowCursor.Numbered> kept = more ? rows.subList(0, most) : rows;
    List<JsonNode> values = new ArrayList<>(kept.size());
    kept.forEach(row -> values.add(row.value()));
    return new QueryPage<>(
        values,
        more ? run.continuation(kept.get(most - 1)) : null,
        run.version(),
        run.metrics(kept.size()));
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
                    .map(view -> Map.entry(view, explanation(query, prepared, view)))
                    .flatMap(made -> withLag(made.getKey(), made.getValue())));
  }

  /** Tells how many items indexes lag behind, where they may. */
  private Mono<Explanation> withLag(CollectionView view, Explanation explanation) {
    if (!view.available().lags()) {
      return Mono.just(explanation);
    }
    return engine
        .count(view.keys().pendingStart(), view.keys().pendingEnd())
        .publishOn(worker)
        .map(
            lag -> {
              explanation.plan().put("indexLag", lag);
              return explanation;
            });
  }

  private static Explanation explanation(SqlQuery query, Prepared prepared, CollectionView view) {
    QueryOptions how = query.options();
    Plan plan = prepared.plan(view, how);
    return new Explanation(
        Explain.plan(query.text(), prepared.query(), plan, view.policyVersion()),
        IndexMetrics.of(plan, view.available()));
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
            System.nanoTime());
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
