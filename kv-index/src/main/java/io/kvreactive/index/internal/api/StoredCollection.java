package io.kvreactive.index.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.Collection;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.CollectionSizes;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.TransformationProgress;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.index.internal.collection.DocumentType;
import io.kvreactive.index.internal.collection.Feed;
import io.kvreactive.index.internal.collection.Items;
import io.kvreactive.index.internal.collection.Signals;
import io.kvreactive.index.internal.collection.Sizes;
import io.kvreactive.index.internal.collection.Traffic;
import io.kvreactive.index.internal.collection.Views;
import io.kvreactive.index.internal.exec.Queries;
import io.kvreactive.index.internal.exec.StoredQueries;
import io.kvreactive.index.internal.plan.Explain;
import io.kvreactive.index.internal.transform.Catalog;
import io.kvreactive.spi.KvEngine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection as users have it: types, threads and the count of what users ask for. */
final class StoredCollection<T> implements Collection<T> {
  private final KvEngine engine;
  private final KvIndexOptions options;
  private final Catalog catalog;
  private final Views views;
  private final Class<T> type;
  private final Items items;
  private final Queries queries;
  private final Traffic traffic;

  StoredCollection(
      KvEngine engine, KvIndexOptions options, Catalog catalog, Views views, Class<T> type) {
    this.engine = engine;
    this.options = options;
    this.catalog = catalog;
    this.views = views;
    this.type = type;
    this.items = new Items(engine, options, views);
    this.queries = new StoredQueries(engine, views, options, Signals.worker());
    this.traffic = Traffic.of(engine);
  }

  /** What {@link Items} does. */
  private <R> Mono<R> asked(Mono<R> source) {
    return Signals.work(counted(source));
  }

  private <R> Mono<R> counted(Mono<R> source) {
    return Mono.defer(
        () -> {
          traffic.operation();
          return source;
        });
  }

  private <R> Flux<R> queried(Flux<R> source) {
    return Signals.deliver(
        Flux.defer(
            () -> {
              traffic.operation();
              return source;
            }));
  }

  private Item<T> typed(Item<ObjectNode> item) {
    return new Item<>(
        DocumentType.as(item.value(), type), item.id(), item.etag(), item.timestamp());
  }

  @Override
  public String name() {
    return views.name();
  }

  @Override
  public Mono<Item<T>> create(T document, WriteOptions writeOptions) {
    return asked(items.create(document, writeOptions).map(this::typed));
  }

  @Override
  public Mono<Item<T>> upsert(T document, WriteOptions writeOptions) {
    return asked(items.upsert(document, writeOptions).map(this::typed));
  }

  @Override
  public Mono<Item<T>> replace(T document, WriteOptions writeOptions) {
    return asked(items.replace(document, writeOptions).map(this::typed));
  }

  @Override
  public Mono<Item<T>> patch(
      String id,
      PartitionKey partition,
      List<PatchOperation> operations,
      WriteOptions writeOptions) {
    List<PatchOperation> steps = List.copyOf(operations);
    return asked(items.patch(id, partition, steps, writeOptions).map(this::typed));
  }

  @Override
  public Mono<Item<T>> read(String id, PartitionKey partition) {
    return asked(items.read(id, partition).map(this::typed));
  }

  @Override
  public Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions writeOptions) {
    return asked(items.delete(id, partition, writeOptions));
  }

  @Override
  public Flux<LoadProgress> load(Publisher<? extends T> documents, LoadOptions loadOptions) {
    return Signals.emit(items.load(documents, loadOptions), 1);
  }

  @Override
  public <R> Flux<R> query(SqlQuery query, Class<R> rowType) {
    return queried(queries.rows(query).map(row -> DocumentType.as(row, rowType)));
  }

  @Override
  public Flux<T> query(String sql, Map<String, ? extends @Nullable Object> parameters) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>(parameters);
    return query(SqlQuery.of(sql, copy), type);
  }

  @Override
  public <R> Mono<QueryPage<R>> page(SqlQuery query, Class<R> rowType) {
    return Signals.deliver(
        counted(
            queries
                .page(query)
                .map(
                    page ->
                        new QueryPage<>(
                            page.items().stream()
                                .map(row -> DocumentType.as(row, rowType))
                                .toList(),
                            page.continuation(),
                            page.snapshot(),
                            page.metrics()))));
  }

  @Override
  public Mono<Explanation> explain(SqlQuery query) {
    return Signals.deliver(counted(queries.explain(query).flatMap(this::withProgress)));
  }

  /** The work on indexes that are not ready is told in another record. */
  private Mono<Explanation> withProgress(Explanation explained) {
    return explained.plan().path("notReady").isEmpty()
        ? Mono.just(explained)
        : catalog
            .describe(name())
            .map(
                info -> {
                  Explain.progress(explained.plan(), info.transformation());
                  return explained;
                })
            .defaultIfEmpty(explained)
            .publishOn(Signals.worker());
  }

  @Override
  public <R> Flux<QueryUpdate<R>> watchQuery(SqlQuery query, Class<R> rowType) {
    return queried(queries.watch(query).map(update -> typed(update, rowType)));
  }

  private static <R> QueryUpdate<R> typed(QueryUpdate<JsonNode> update, Class<R> rowType) {
    if (update instanceof QueryUpdate.Insert<JsonNode> insert) {
      return new QueryUpdate.Insert<>(
          insert.id(),
          insert.partitionKey(),
          DocumentType.as(insert.row(), rowType),
          insert.versionstamp());
    }
    if (update instanceof QueryUpdate.Update<JsonNode> changed) {
      return new QueryUpdate.Update<>(
          changed.id(),
          changed.partitionKey(),
          DocumentType.as(changed.row(), rowType),
          changed.versionstamp());
    }
    if (update instanceof QueryUpdate.Remove<JsonNode> remove) {
      return new QueryUpdate.Remove<>(remove.id(), remove.partitionKey(), remove.versionstamp());
    }
    return new QueryUpdate.Synced<>(((QueryUpdate.Synced<JsonNode>) update).versionstamp());
  }

  @Override
  public Flux<ItemChanges<T>> changes(@Nullable Versionstamp since) {
    return Signals.emit(new Feed(engine, views).changes(since).map(this::typed));
  }

  private ItemChanges<T> typed(ItemChanges<ObjectNode> commit) {
    return new ItemChanges<>(
        commit.versionstamp(), commit.time(), commit.changes().stream().map(this::typed).toList());
  }

  private ItemChanges.Change<T> typed(ItemChanges.Change<ObjectNode> change) {
    if (change instanceof ItemChanges.Change.Upsert<ObjectNode> upsert) {
      return new ItemChanges.Change.Upsert<>(typed(upsert.item()));
    }
    ItemChanges.Change.Delete<ObjectNode> delete = (ItemChanges.Change.Delete<ObjectNode>) change;
    return new ItemChanges.Change.Delete<>(delete.id(), delete.partitionKey());
  }

  @Override
  public Mono<CollectionInfo> info() {
    return Signals.emit(
        counted(
            views
                .current()
                .flatMap(view -> catalog.describe(name()))
                .switchIfEmpty(Mono.error(() -> Views.notFound(name())))));
  }

  @Override
  public Flux<TransformationProgress> replaceDefinition(CollectionDefinition definition) {
    return Signals.emit(
        catalog
            .replace(views, definition)
            .flatMapMany(
                version -> progress().filter(progress -> progress.policyVersion() >= version)));
  }

  @Override
  public Flux<TransformationProgress> transformation() {
    return Signals.emit(progress());
  }

  /** Completes also when all that is left has failed: nothing will change. */
  private Flux<TransformationProgress> progress() {
    return catalog
        .follow(views)
        .map(CollectionInfo::transformation)
        .distinctUntilChanged()
        .takeUntil(progress -> progress.jobs().stream().allMatch(job -> job.error() != null));
  }

  @Override
  public Mono<CollectionSizes> sizes() {
    return Signals.emit(counted(new Sizes(engine, options.root(), views).count()));
  }
}
