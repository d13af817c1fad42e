package io.kvreactive.documents.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeGroup;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.ChangeProcessorOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.CollectionSizes;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.documents.UpsertResult;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.DocumentType;
import io.kvreactive.documents.internal.collection.ItemOperations;
import io.kvreactive.documents.internal.collection.SizeCounter;
import io.kvreactive.documents.internal.collection.StoredChangeGroup;
import io.kvreactive.documents.internal.plan.PlanExplainer;
import io.kvreactive.documents.internal.transform.CollectionCatalog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A typed handle of a collection. Converts documents and rows, signals on the subscriber's context
 * and counts operations; everything else belongs to the {@link CollectionRuntime}.
 */
final class DefaultDocumentCollection<T> implements DocumentCollection<T> {
  private final CollectionRuntime runtime;
  private final Class<T> type;
  private final @Nullable CollectionDefinition definition;
  private volatile boolean isDefined; // the collection has once had this definition

  /**
   * Creates a handle.
   *
   * @param definition the definition to create the collection with if it does not exist, or null
   */
  DefaultDocumentCollection(
      CollectionRuntime runtime, Class<T> type, @Nullable CollectionDefinition definition) {
    this.runtime = runtime;
    this.type = type;
    this.definition = definition;
  }

  /** Emits the result of an operation of {@link CollectionRuntime#items}. */
  private <R> Mono<R> perform(Mono<R> source) {
    return runtime.signals.work(counted(source));
  }

  private <R> Mono<R> counted(Mono<R> source) {
    Mono<R> counted =
        Mono.defer(
            () -> {
              runtime.traffic.increment();
              return source;
            });
    CollectionDefinition wanted = definition;
    if (wanted == null) {
      return counted;
    }
    return defined(wanted)
        .then(counted)
        .onErrorResume(
            DefaultDocumentCollection::isAbsent, dropped -> runtime.define(wanted).then(counted));
  }

  /** Emits the rows of a query, which shows before the first row that its collection is absent. */
  private <R> Flux<R> queried(Flux<R> rows) {
    return runtime.signals.deliver(
        () -> {
          runtime.traffic.increment();
          CollectionDefinition wanted = definition;
          return wanted == null
              ? rows
              : afterDefinition(wanted, rows)
                  .onErrorResume(
                      DefaultDocumentCollection::isAbsent,
                      dropped -> runtime.define(wanted).thenMany(rows));
        });
  }

  private <R> Flux<R> counted(Flux<R> source) {
    return Flux.defer(
        () -> {
          runtime.traffic.increment();
          return defined(source);
        });
  }

  /** Creates the collection first, also if the first row shows that it was dropped. */
  private <R> Flux<R> defined(Flux<R> source) {
    CollectionDefinition wanted = definition;
    if (wanted == null) {
      return source;
    }
    AtomicBoolean hasEmitted = new AtomicBoolean();
    return afterDefinition(wanted, source)
        .doOnNext(row -> hasEmitted.setPlain(true))
        .onErrorResume(
            e -> isAbsent(e) && !hasEmitted.getPlain(),
            dropped -> runtime.define(wanted).thenMany(source));
  }

  private <R> Flux<R> afterDefinition(CollectionDefinition wanted, Flux<R> source) {
    return isDefined ? source : defined(wanted).thenMany(source);
  }

  /**
   * Creates the collection if necessary. A definition that was replaced after this handle's first
   * use does not make the handle fail.
   */
  private Mono<Void> defined(CollectionDefinition wanted) {
    return Mono.defer(
        () ->
            isDefined
                ? Mono.empty()
                : runtime.define(wanted).doOnNext(metadata -> isDefined = true).then());
  }

  private static boolean isAbsent(Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND);
  }

  private Item<T> typed(Item<ObjectNode> item) {
    return new Item<>(
        DocumentType.as(item.value(), type), item.id(), item.etag(), item.timestamp());
  }

  @Override
  public String name() {
    return runtime.metadataCache.name();
  }

  @Override
  public Mono<Item<T>> create(T document, WriteOptions writeOptions) {
    return perform(runtime.items.create(document, writeOptions).map(this::typed));
  }

  @Override
  public Mono<UpsertResult<T>> put(T document, WriteOptions writeOptions) {
    return perform(
        runtime
            .items
            .put(document, writeOptions)
            .map(result -> new UpsertResult<>(typed(result.item()), result.isCreated())));
  }

  @Override
  public Mono<Item<T>> replace(T document, WriteOptions writeOptions) {
    return perform(runtime.items.replace(document, writeOptions).map(this::typed));
  }

  @Override
  public Mono<Item<T>> patch(
      String id,
      PartitionKey partition,
      List<PatchOperation> operations,
      PatchOptions patchOptions) {
    List<PatchOperation> steps = List.copyOf(operations);
    return perform(runtime.items.patch(id, partition, steps, patchOptions).map(this::typed));
  }

  @Override
  public Mono<BatchResult<T>> execute(TransactionalBatch batch) {
    return perform(runtime.items.execute(batch).map(this::typed));
  }

  private BatchResult<T> typed(BatchResult<ObjectNode> result) {
    return new BatchResult<>(
        result.versionstamp(),
        result.results().stream()
            .map(
                one -> {
                  Item<ObjectNode> item = one.item();
                  return new BatchResult.Result<>(one.outcome(), item == null ? null : typed(item));
                })
            .toList());
  }

  @Override
  public Mono<Item<T>> read(String id, PartitionKey partition) {
    return perform(runtime.items.read(id, partition).map(this::typed));
  }

  @Override
  public Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions writeOptions) {
    return perform(runtime.items.delete(id, partition, writeOptions));
  }

  @Override
  public Flux<Item<T>> list(PartitionKey partition) {
    SqlQuery all =
        SqlQuery.of("SELECT * FROM c")
            .withOptions(QueryOptions.DEFAULT.withPartitionKey(partition));
    return queried(runtime.queries.rows(all, row -> typed(ItemOperations.item((ObjectNode) row))));
  }

  @Override
  public Flux<DeleteProgress> deletePartition(PartitionKey partition) {
    return runtime.signals.emit(counted(runtime.items.deletePartition(partition)), 1);
  }

  @Override
  public Flux<LoadProgress> load(Publisher<? extends T> documents, LoadOptions loadOptions) {
    return runtime.signals.emit(defined(runtime.items.load(documents, loadOptions)), 1);
  }

  @Override
  public Flux<DeleteProgress> deleteMany(SqlQuery query) {
    return runtime.signals.emit(
        counted(Flux.defer(() -> new QueryDelete(runtime.queries, runtime.items).run(query))), 1);
  }

  @Override
  public <R> Flux<R> query(SqlQuery query, Class<R> rowType) {
    return queried(runtime.queries.rows(query, row -> DocumentType.as(row, rowType)));
  }

  @Override
  public Flux<T> query(String sql, Map<String, ? extends @Nullable Object> parameters) {
    return query(SqlQuery.of(sql, parameters), type);
  }

  @Override
  public <R> Mono<QueryPage<R>> page(SqlQuery query, Class<R> rowType) {
    return runtime.signals.deliver(
        counted(
            runtime
                .queries
                .page(query)
                .flatMap(this::withProgress)
                .map(
                    page ->
                        new QueryPage<>(
                            page.items().stream()
                                .map(row -> DocumentType.as(row, rowType))
                                .toList(),
                            page.continuation(),
                            page.snapshot(),
                            page.metrics(),
                            page.explanation()))));
  }

  private <R> Mono<QueryPage<R>> withProgress(QueryPage<R> page) {
    Explanation explained = page.explanation();
    return explained == null ? Mono.just(page) : withProgress(explained).map(page::withExplanation);
  }

  @Override
  public Mono<Explanation> explain(SqlQuery query) {
    return runtime.signals.deliver(
        counted(runtime.queries.explain(query).flatMap(this::withProgress)));
  }

  /** Adds the progress of indexes that are not ready, which is stored in another record. */
  private Mono<Explanation> withProgress(Explanation explained) {
    return explained.plan().path("notReady").isEmpty()
        ? Mono.just(explained)
        : runtime
            .catalog
            .describe(name())
            .map(
                info -> {
                  PlanExplainer.progress(explained.plan(), info.transformation());
                  return explained;
                })
            .defaultIfEmpty(explained)
            .publishOn(runtime.signals.worker());
  }

  @Override
  public <R> Flux<QueryUpdate<R>> watchQuery(SqlQuery query, Class<R> rowType) {
    return runtime.signals.deliver(
        () -> counted(runtime.queries.watch(query).map(update -> typed(update, rowType))));
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
    return runtime.signals.emit(defined(runtime.changes.changes(since)).map(this::typed));
  }

  @Override
  public Flux<ItemChanges<T>> changeFeed(ChangeFeedOptions options) {
    return runtime.signals.emit(defined(runtime.changes.follow(options)).map(this::typed));
  }

  @Override
  public Mono<ChangePage<T>> changePage(ChangeFeedOptions options, int limit) {
    return perform(
        runtime
            .changes
            .page(options, limit)
            .map(
                page ->
                    new ChangePage<>(
                        page.commits().stream().map(this::typed).toList(),
                        page.continuation(),
                        page.hasMore())));
  }

  @Override
  public ChangeProcessor changeProcessor(
      String group,
      ChangeProcessorOptions processorOptions,
      Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler) {
    return ChangeGroup.member(
        changeGroup(group),
        runtime.signals.worker(),
        processorOptions,
        definition == null ? Mono.empty() : defined(definition),
        handler);
  }

  @Override
  public ChangeGroup<T> changeGroup(String group) {
    return new StoredChangeGroup<>(
        runtime.engine,
        runtime.signals,
        runtime.metadataCache,
        runtime.changes,
        CollectionCatalog.checkName("group", group),
        this::typed);
  }

  private ItemChanges<T> typed(ItemChanges<ObjectNode> commit) {
    return new ItemChanges<>(
        commit.versionstamp(), commit.time(), commit.changes().stream().map(this::typed).toList());
  }

  private ItemChanges.Change<T> typed(ItemChanges.Change<ObjectNode> change) {
    Item<ObjectNode> old = change.previous();
    Item<T> previous = old == null ? null : typed(old);
    if (change instanceof ItemChanges.Change.Upsert<ObjectNode> upsert) {
      return new ItemChanges.Change.Upsert<>(typed(upsert.item()), previous);
    }
    ItemChanges.Change.Delete<ObjectNode> delete = (ItemChanges.Change.Delete<ObjectNode>) change;
    return new ItemChanges.Change.Delete<>(
        delete.id(), delete.partitionKey(), previous, delete.isExpired());
  }

  @Override
  public Mono<CollectionInfo> info() {
    return runtime.signals.emit(
        counted(
            runtime
                .catalog
                .describe(name())
                .switchIfEmpty(Mono.error(() -> CollectionMetadataCache.notFound(name())))));
  }

  @Override
  public Flux<TransformationProgress> replaceDefinition(CollectionDefinition replacement) {
    return runtime.signals.emit(
        defined(
            runtime
                .catalog
                .replace(runtime.metadataCache, replacement)
                .flatMapMany(
                    version -> progress().filter(progress -> progress.policyVersion() >= version))),
        1);
  }

  @Override
  public Flux<TransformationProgress> transformation() {
    return runtime.signals.emit(defined(progress()), 1);
  }

  /**
   * Emits the progress. Also completes if all remaining work has failed, since nothing will change.
   */
  private Flux<TransformationProgress> progress() {
    return runtime
        .catalog
        .follow(runtime.metadataCache)
        .map(CollectionInfo::transformation)
        .distinctUntilChanged()
        .takeUntil(progress -> progress.jobs().stream().allMatch(job -> job.error() != null));
  }

  @Override
  public Mono<CollectionSizes> sizes() {
    return runtime.signals.emit(
        counted(
            new SizeCounter(
                    runtime.engine,
                    runtime.signals.threads().background(),
                    runtime.options.root(),
                    runtime.metadataCache,
                    runtime.neighbors)
                .count()));
  }
}
