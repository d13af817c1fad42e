package io.kvreactive.documents.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.collection.DeleteCounter;
import io.kvreactive.documents.internal.collection.ItemOperations;
import io.kvreactive.documents.internal.exec.QueryEngine;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Deletes the items that a query finds, page by page. Each item is deleted on its own, many at a
 * time, so that they share the syncs of the log. An instance must be used only once.
 */
final class QueryDelete {
  private static final int CONCURRENCY = 128;

  private final QueryEngine queries;
  private final ItemOperations items;
  private final DeleteCounter counter = new DeleteCounter();

  QueryDelete(QueryEngine queries, ItemOperations items) {
    this.queries = queries;
    this.items = items;
  }

  Flux<DeleteProgress> run(SqlQuery query) {
    return page(query.withOptions(query.options().withExplain(false)))
        .expand(
            page ->
                page.continuation() == null
                    ? Mono.empty()
                    : page(
                        query.withOptions(query.options().withContinuation(page.continuation()))))
        .map(page -> counter.progress());
  }

  /** Emits a page after its items were deleted. */
  private Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    return queries
        .page(query)
        .flatMap(
            page ->
                Flux.fromIterable(page.items())
                    .flatMap(this::delete, CONCURRENCY)
                    .doOnNext(this::count)
                    .then(Mono.just(page)));
  }

  /** Emits the version of the delete; nothing if the item no longer exists. */
  private Mono<Optional<Versionstamp>> delete(JsonNode row) {
    return items
        .deleteRow(row)
        .retryWhen(ItemOperations.WHEN_OVERLOADED)
        .map(Optional::of)
        .onErrorResume(
            e -> KvError.is(e, DocumentErrorCode.ETAG_MISMATCH), e -> Mono.just(Optional.empty()));
  }

  private void count(Optional<Versionstamp> stamp) {
    if (stamp.isPresent()) {
      var unused = counter.deleted(1, stamp.get());
    } else {
      counter.changed();
    }
  }
}
