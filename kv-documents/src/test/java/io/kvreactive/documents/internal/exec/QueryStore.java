package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A store with one collection and blocking helpers, in memory unless an engine is given. */
final class QueryStore implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final int FEW = 1000;

  private final Vertx vertx = Vertx.vertx();
  private final Kv kv;
  private final DocumentStore index;
  final DocumentCollection<ObjectNode> items;

  QueryStore(IndexingPolicy policy) {
    this(CollectionDefinition.DEFAULT.withIndexingPolicy(policy), DocumentStoreOptions.DEFAULT);
  }

  QueryStore(CollectionDefinition definition, DocumentStoreOptions options) {
    this(
        definition,
        options,
        vertx -> Kv.open(vertx, KvOptions.inMemory().withName("query-" + UUID.randomUUID())));
  }

  QueryStore(
      CollectionDefinition definition,
      DocumentStoreOptions options,
      Function<Vertx, Mono<Kv>> engine) {
    kv = Objects.requireNonNull(engine.apply(vertx).block(PATIENCE));
    index = DocumentStore.over(kv, options);
    items = index.collection("c", ObjectNode.class, definition);
  }

  Kv kv() {
    return kv;
  }

  /** Returns a store of the same collections with other options. */
  DocumentStore another(DocumentStoreOptions options) {
    return DocumentStore.over(kv, options);
  }

  void fill(List<ObjectNode> documents) {
    if (documents.size() >= FEW) {
      items
          .load(Flux.fromIterable(documents), LoadOptions.DEFAULT.withConcurrency(1))
          .blockLast(PATIENCE);
      return;
    }
    Flux.fromIterable(documents)
        .concatMap(document -> items.create(document, WriteOptions.DEFAULT))
        .blockLast(PATIENCE);
  }

  List<JsonNode> rows(String sql, QueryOptions options) {
    return rows(SqlQuery.of(sql).withOptions(options));
  }

  List<JsonNode> rows(SqlQuery query) {
    return Objects.requireNonNull(items.query(query, JsonNode.class).collectList().block(PATIENCE));
  }

  QueryPage<JsonNode> page(SqlQuery query) {
    return Objects.requireNonNull(items.page(query, JsonNode.class).block(PATIENCE));
  }

  /** Returns all rows, page by page, and runs an action between pages. */
  List<JsonNode> pages(SqlQuery query, Runnable between) {
    List<JsonNode> rows = new ArrayList<>();
    QueryPage<JsonNode> page = page(query);
    rows.addAll(page.items());
    while (page.continuation() != null) {
      between.run();
      page = page(query.withOptions(query.options().withContinuation(page.continuation())));
      rows.addAll(page.items());
    }
    return rows;
  }

  /** Returns the documents as stored, in the order of their document ids. */
  List<JsonNode> stored() {
    return rows("SELECT * FROM c", QueryOptions.DEFAULT.withForceScan(true));
  }

  @Override
  public void close() {
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
