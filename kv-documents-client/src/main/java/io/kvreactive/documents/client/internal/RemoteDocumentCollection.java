package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchOperation;
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
import io.kvreactive.documents.DocumentException;
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
import io.kvreactive.documents.spi.DocumentMapper;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.RemoteStream;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.protocol.ItemMessages;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.protocol.QueryRequest.Explain;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A collection of a server. */
final class RemoteDocumentCollection<T> implements DocumentCollection<T> {
  private final RemoteDocumentStore store;
  private final RestCaller rest;
  private final DocumentMapper mapper;
  private final RequestJson requests;
  private final ItemMessages<T> answers;
  private final String name;
  private final String path;
  private final Class<T> type;
  private final @Nullable CollectionDefinition definition;
  private volatile boolean isDefined; // the collection has once had this definition

  /**
   * Creates a handle.
   *
   * @param definition the definition to create the collection with if it does not exist, or null
   */
  RemoteDocumentCollection(
      RemoteDocumentStore store,
      RestCaller rest,
      String name,
      Class<T> type,
      @Nullable CollectionDefinition definition) {
    this.store = store;
    this.rest = rest;
    this.mapper = rest.mapper();
    this.requests = new RequestJson(mapper);
    this.answers =
        new ItemMessages<>(
            requests.partitionKey(), ItemMessages.reading(json -> mapper.as(json, type)));
    this.name = name;
    this.path = RemoteDocumentStore.path(name);
    this.type = type;
    this.definition = definition;
  }

  @Override
  public String name() {
    return name;
  }

  // ---- definition on first use

  /** Creates the collection if necessary, as embedded collections do. */
  private Mono<Void> defined() {
    CollectionDefinition wanted = definition;
    return wanted == null || isDefined
        ? Mono.empty()
        : store.define(name, wanted).doOnSuccess(done -> isDefined = true);
  }

  private <R> Mono<R> defined(Mono<R> source) {
    CollectionDefinition wanted = definition;
    return wanted == null
        ? source
        : Mono.defer(() -> isDefined ? source : defined().then(source))
            .onErrorResume(
                RemoteDocumentStore::isAbsent, dropped -> store.define(name, wanted).then(source));
  }

  private <R> Flux<R> defined(Flux<R> source) {
    CollectionDefinition wanted = definition;
    if (wanted == null) {
      return source;
    }
    return Flux.defer(
        () -> {
          AtomicBoolean hasEmitted = new AtomicBoolean();
          return (isDefined ? source : SubscriberContext.ELASTIC.apply(defined()).thenMany(source))
              .doOnNext(element -> hasEmitted.setPlain(true))
              .onErrorResume(
                  e -> RemoteDocumentStore.isAbsent(e) && !hasEmitted.getPlain(),
                  dropped ->
                      SubscriberContext.ELASTIC.apply(store.define(name, wanted)).thenMany(source));
        });
  }

  private Mono<HttpAnswer> call(Supplier<HttpCall> call) {
    return defined(Mono.defer(() -> rest.call(call.get())));
  }

  private <R> Mono<R> perform(Supplier<HttpCall> call, JsonForm<R> answer) {
    return rest.read(call(call), answer);
  }

  // ---- items

  @Override
  public Mono<Item<T>> create(T document, WriteOptions options) {
    if (options.ifMatch() != null) {
      return SubscriberContext.ELASTIC.apply(
          Mono.error(
              () ->
                  new DocumentException(
                      DocumentErrorCode.ETAG_MISMATCH,
                      "an etag of a creation (expected: none, as there is no item)")));
    }
    return perform(
        () ->
            RequestJson.with(
                rest.send(
                    HttpMethod.POST,
                    path + "/items",
                    Buffer.buffer(mapper.encode(document).json()),
                    Safety.ONCE),
                null,
                options.directive()),
        answers.item);
  }

  @Override
  public Mono<UpsertResult<T>> put(T document, WriteOptions options) {
    return RestCaller.read(
            call(() -> putCall(document, options)),
            answer ->
                new UpsertResult<>(answers.item.read(rest.json(answer)), answer.status() == 201))
        .onErrorMap(
            failure ->
                options.ifMatch() != null && KvError.is(failure, DocumentErrorCode.ITEM_NOT_FOUND),
            absent ->
                new DocumentException(
                    DocumentErrorCode.ETAG_MISMATCH,
                    ((KvError) absent).detail() + ": no etag (expected: " + options.ifMatch() + ")",
                    absent));
  }

  private HttpCall putCall(T document, WriteOptions options) {
    DocumentMapper.Encoded encoded = mapper.encode(document);
    String target = path + "/items" + requests.item(encoded.id(), PartitionKey.NONE);
    HttpCall put = rest.send(HttpMethod.PUT, target, Buffer.buffer(encoded.json()), Safety.ONCE);
    return RequestJson.with(put, options.ifMatch(), options.directive());
  }

  @Override
  public Mono<Item<T>> replace(T document, WriteOptions options) {
    return perform(
        () -> {
          HttpCall put = putCall(document, options);
          return options.ifMatch() == null ? put.with("If-Match", "*") : put;
        },
        answers.item);
  }

  @Override
  public Mono<Item<T>> patch(
      String id, PartitionKey partition, List<PatchOperation> operations, PatchOptions options) {
    List<PatchOperation> steps = List.copyOf(operations);
    return perform(
        () ->
            RequestJson.with(
                rest.send(
                    HttpMethod.PATCH,
                    path + "/items" + requests.item(id, partition),
                    requests.body(requests.patch(steps, options.filter())),
                    Safety.ONCE),
                options.ifMatch(),
                options.directive()),
        answers.item);
  }

  @Override
  public Mono<Item<T>> read(String id, PartitionKey partition) {
    return perform(() -> rest.get(path + "/items" + requests.item(id, partition)), answers.item)
        .onErrorResume(RemoteDocumentCollection::isNotFound, absent -> Mono.empty());
  }

  private static boolean isNotFound(Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.ITEM_NOT_FOUND);
  }

  @Override
  public Mono<Versionstamp> delete(String id, PartitionKey partition, WriteOptions options) {
    return perform(
            () ->
                RequestJson.with(
                    rest.delete(path + "/items" + requests.item(id, partition)),
                    options.ifMatch(),
                    options.directive()),
            CollectionMessages.COMMITTED)
        .onErrorResume(RemoteDocumentCollection::isNotFound, absent -> Mono.empty());
  }

  @Override
  public Flux<DeleteProgress> deletePartition(PartitionKey partition) {
    return deletes(() -> rest.delete(path + "/partition?" + requests.partition(partition)));
  }

  @Override
  public Mono<BatchResult<T>> execute(TransactionalBatch batch) {
    return perform(
            () ->
                rest.send(
                    HttpMethod.POST,
                    path + "/batch",
                    requests.body(requests.batch(batch)),
                    Safety.ONCE),
            answers.batchResult)
        .map(result -> withReads(batch, result));
  }

  /** Tells reads from replaced items, which have the same status. */
  private BatchResult<T> withReads(TransactionalBatch batch, BatchResult<T> result) {
    List<BatchResult.Result<T>> results = new ArrayList<>(result.results());
    for (int i = 0; i < results.size(); i++) {
      if (batch.operations().get(i) instanceof BatchOperation.Read) {
        results.set(i, new BatchResult.Result<>(BatchResult.Outcome.READ, results.get(i).item()));
      }
    }
    return new BatchResult<>(result.versionstamp(), results);
  }

  @Override
  public Flux<LoadProgress> load(Publisher<? extends T> documents, LoadOptions options) {
    return SubscriberContext.ELASTIC.apply(
        defined(
            Flux.defer(
                () -> new RemoteLoad(rest, mapper, path + "/load").load(documents, options))));
  }

  @Override
  public Flux<DeleteProgress> deleteMany(SqlQuery query) {
    return deletes(
        () ->
            rest.send(
                HttpMethod.POST,
                path + "/delete",
                requests.body(requests.query(new QueryRequest(query, Explain.NONE))),
                Safety.ONCE));
  }

  private Flux<DeleteProgress> deletes(Supplier<HttpCall> call) {
    return SubscriberContext.ELASTIC.apply(
        defined(
            Flux.defer(
                () ->
                    rest.progress(call.get(), RestCaller.ENDLESS)
                        .map(CollectionMessages.DELETED::read))));
  }

  // ---- queries

  @Override
  public Flux<Item<T>> list(PartitionKey partition) {
    SqlQuery all =
        SqlQuery.of("SELECT * FROM c")
            .withOptions(QueryOptions.DEFAULT.withPartitionKey(partition));
    return rows(all, answers.item::read);
  }

  private <R> Flux<R> rows(SqlQuery query, Function<JsonNode, R> reader) {
    return defined(
        RemoteStream.of(
            rest.streams(),
            () -> new QueryRowsProtocol<>(message("query", requests.stream(query)), reader)));
  }

  private ObjectNode message(String op, ObjectNode members) {
    return members.put("op", op).put("collection", name);
  }

  @Override
  public <R> Flux<R> query(SqlQuery query, Class<R> rowType) {
    return rows(query, row -> mapper.as(row, rowType));
  }

  @Override
  public Flux<T> query(String sql, Map<String, ? extends @Nullable Object> parameters) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>(parameters);
    return query(SqlQuery.of(sql, copy), type);
  }

  @Override
  public <R> Mono<QueryPage<R>> page(SqlQuery query, Class<R> rowType) {
    return perform(
        () -> read(new QueryRequest(query)),
        CollectionMessages.page(JsonForm.reading(row -> mapper.as(row.json(), rowType))));
  }

  private HttpCall read(QueryRequest query) {
    return rest.send(
        HttpMethod.POST, path + "/query", requests.body(requests.query(query)), Safety.REPEATABLE);
  }

  @Override
  public Mono<Explanation> explain(SqlQuery query) {
    return perform(
        () -> read(new QueryRequest(query, Explain.ONLY)), CollectionMessages.EXPLANATION);
  }

  @Override
  public <R> Flux<QueryUpdate<R>> watchQuery(SqlQuery query, Class<R> rowType) {
    return defined(
        RemoteStream.of(
            rest.streams(),
            () ->
                new LiveRowsProtocol<>(
                    message("query", requests.stream(query).put("watch", true)),
                    requests.partitionKey(),
                    row -> mapper.as(row, rowType))));
  }

  // ---- changes

  @Override
  public Flux<ItemChanges<T>> changes(@Nullable Versionstamp since) {
    return changeFeed(ChangeFeedOptions.ALL.withSince(since));
  }

  @Override
  public Flux<ItemChanges<T>> changeFeed(ChangeFeedOptions options) {
    return defined(
        RemoteStream.of(
            rest.streams(),
            () ->
                new ChangeFeedProtocol<>(
                    message("itemChanges", requests.changes(options)), answers.commit::read)));
  }

  @Override
  public Mono<ChangePage<T>> changePage(ChangeFeedOptions options, int limit) {
    return perform(
            () -> rest.get(path + "/changes" + requests.changePage(options, limit)),
            answers.changePage)
        .map(ItemMessages.Page::byCommit);
  }

  @Override
  public ChangeProcessor changeProcessor(
      String group,
      ChangeProcessorOptions options,
      Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler) {
    return ChangeGroup.member(
        changeGroup(group), Schedulers.boundedElastic(), options, defined(), handler);
  }

  @Override
  public ChangeGroup<T> changeGroup(String group) {
    return new RemoteChangeGroup<>(
        rest,
        path + RemoteDocumentStore.groupPath(group),
        definition == null ? this : new RemoteDocumentCollection<>(store, rest, name, type, null));
  }

  // ---- definitions

  @Override
  public Mono<CollectionInfo> info() {
    return perform(() -> rest.get(path), CollectionMessages.COLLECTION);
  }

  @Override
  public Flux<TransformationProgress> replaceDefinition(CollectionDefinition replacement) {
    return SubscriberContext.ELASTIC.apply(
        defined(
            rest.call(store.put(name, replacement, "If-Match"))
                .map(answer -> CollectionMessages.COLLECTION.read(rest.json(answer)))
                .flatMapMany(
                    info ->
                        progress()
                            .filter(
                                progress -> progress.policyVersion() >= info.policyVersion()))));
  }

  @Override
  public Flux<TransformationProgress> transformation() {
    return SubscriberContext.ELASTIC.apply(defined(progress()));
  }

  private Flux<TransformationProgress> progress() {
    return rest.progress(rest.get(path + "/transformation"), RestCaller.PAUSING)
        .map(CollectionMessages.TRANSFORMATION::read);
  }

  @Override
  public Mono<CollectionSizes> sizes() {
    return perform(
        () -> rest.get(path + "?sizes=true").with(RestCaller.ENDLESS),
        CollectionMessages.SIZES_OF_COLLECTION);
  }
}
