package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.kvreactive.KvException;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.protocol.ItemMessages;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.BatchOperationException;
import io.kvreactive.web.internal.rest.ProgressLines;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** The messages of collections as a server reads and writes them, over REST and WebSocket. */
public final class ServerMessages {
  public static final RequestMessages REQUESTS =
      new RequestMessages(
          ObjectNode.class::cast,
          (value, otherwise) -> StrictJson.tree(value),
          ServerMessages::ofOperation);

  /** Answers with items as trees. */
  public static final ItemMessages<ObjectNode> TREES =
      new ItemMessages<>(REQUESTS.partitionKey, JsonForm.writing(item -> item.value()));

  /** Answers with items as text. */
  static final ItemMessages<RowText> TEXTS =
      new ItemMessages<>(REQUESTS.partitionKey, JsonForm.writing(item -> raw(item.value())));

  private static final DeleteProgress NONE = new DeleteProgress(0, 0, null, Duration.ZERO);

  private ServerMessages() {}

  private static RuntimeException ofOperation(int index, RuntimeException failure) {
    if (failure instanceof WebException malformed) {
      return new BatchOperationException(index, malformed);
    }
    return failure instanceof KvException invalid
        ? new BatchOperationException(index, invalid)
        : failure;
  }

  /** Returns text as a part of a tree. */
  static JsonNode raw(RowText row) {
    return JsonNodeFactory.instance.rawValueNode(new RawValue(row.json()));
  }

  /**
   * Parses the query of a delete.
   *
   * @throws WebException BAD_REQUEST
   */
  public static SqlQuery deletion(JsonNode body) {
    QueryRequest request = StrictJson.read(body, "body", REQUESTS.query);
    if (request.explain() != QueryRequest.Explain.NONE) {
      throw StrictJson.bad("explain (expected: none, for deletes)");
    }
    return request.query();
  }

  /** Returns a query on behalf of a caller, for a fair share of the workers. */
  public static SqlQuery of(SqlQuery query, String caller) {
    return query.withOptions(query.options().withCaller(caller));
  }

  /** Returns the lines of a delete, about one a second; the last one has {@code "done":true}. */
  public static Flux<ObjectNode> lines(Flux<DeleteProgress> deletes) {
    return ProgressLines.seconds(
        deletes,
        DeleteProgress::elapsed,
        (progress, isResult) ->
            StrictJson.object()
                .put("done", isResult)
                .setAll(
                    CollectionMessages.DELETED.writeObject(progress == null ? NONE : progress)));
  }
}
