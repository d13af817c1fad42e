package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.rest.ContentNegotiation;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.ProgressLines;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/** Routes of the items of one partition key: batches, lists and deletions. */
public final class PartitionRoutes {
  private static final String LIMIT = "limit";
  private static final String CONTINUATION = "continuation";
  private static final int MAX_LIMIT = 100_000;

  private PartitionRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.body(
        Operation.EXECUTE_BATCH,
        context ->
            StrictJson.read(OperationRoutes.json(context), "body", ServerMessages.REQUESTS.batch),
        PartitionRoutes::execute);
    routes.plain(Operation.LIST_PARTITION, PartitionRoutes::list);
    routes.plain(Operation.DELETE_PARTITION, PartitionRoutes::delete);
  }

  private static void execute(RoutingContext context, TransactionalBatch batch) {
    var unused = QueryParams.of(context);
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    Responses.when(
        context,
        items.execute(batch),
        result -> {
          Responses.stamp(context, result.versionstamp());
          Responses.json(context, ServerMessages.TREES.batchResult.write(result));
        });
  }

  private static PartitionKey partition(QueryParams query) {
    return CollectionParams.key(query.required(CollectionParams.PARTITION));
  }

  private static void list(RoutingContext context) {
    QueryParams query = QueryParams.of(context, CollectionParams.PARTITION, LIMIT, CONTINUATION);
    String continuation = query.text(CONTINUATION);
    QueryOptions options =
        QueryOptions.DEFAULT
            .withPartitionKey(partition(query))
            .withMaxItemCount((int) query.whole(LIMIT, 1000, 1, MAX_LIMIT))
            .withContinuation(continuation == null ? "" : continuation);
    SqlQuery all = SqlQuery.of("SELECT * FROM c").withOptions(options);
    QueryRoutes.answer(context, new QueryRequest(all));
  }

  /** Answers with lines of the progress. The answer begins with the first deleted items. */
  static void answerLines(RoutingContext context, Flux<DeleteProgress> deletes) {
    ProgressLines.answer(context, ServerMessages.lines(ProgressLines.beginning(context, deletes)));
  }

  /** Deletes a partition, and answers with the number of items, or with lines of the progress. */
  private static void delete(RoutingContext context) {
    QueryParams query = QueryParams.of(context, CollectionParams.PARTITION);
    String type = ContentNegotiation.choose(context, Responses.JSON, Responses.NDJSON);
    Flux<DeleteProgress> deletes =
        deletes(
            CollectionParams.collection(context),
            partition(query),
            CollectionParams.name(context),
            event -> AuditEntries.done(context, event));
    if (type.equals(Responses.NDJSON)) {
      answerLines(context, deletes);
    } else {
      Responses.when(
          context,
          deletes.last(),
          progress ->
              Responses.json(context, StrictJson.object().put("deleted", progress.deleted())));
    }
  }

  /**
   * Deletes the items of a partition key, or of its first values, and emits the progress.
   *
   * @param name the name of the collection
   * @param audit creates an entry of the audit log for an event
   */
  public static Flux<DeleteProgress> deletes(
      DocumentCollection<ObjectNode> items,
      PartitionKey partition,
      String name,
      Function<String, AuditEntry> audit) {
    return Flux.defer(
        () -> {
          AtomicLong deleted = new AtomicLong();
          return items
              .deletePartition(partition)
              .doOnSubscribe(
                  begun -> audit.apply("partition.deletion.begun").with("collection", name).log())
              .doOnNext(progress -> deleted.setPlain(progress.deleted()))
              .doOnComplete(
                  () ->
                      audit
                          .apply("partition.deleted")
                          .with("collection", name)
                          .with("deleted", Long.toString(deleted.getPlain()))
                          .log());
        });
  }
}
