package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.BatchOperation;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.spi.DocumentMapper;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.protocol.RequestMessages.PatchRequest;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes the JSON and the parameters of requests. */
final class RequestJson {
  private final DocumentMapper mapper;
  private final RequestMessages messages;

  RequestJson(DocumentMapper mapper) {
    this.mapper = mapper;
    this.messages =
        new RequestMessages(
            document -> (ObjectNode) mapper.parse(mapper.encode(document).json()),
            mapper::tree,
            (index, failure) ->
                failure instanceof DocumentException known
                    ? new BatchException(index, known)
                    : failure);
  }

  Buffer body(JsonNode json) {
    return Buffer.buffer(mapper.text(json));
  }

  /** Returns the part of a path that names an item by id. */
  String item(String id, PartitionKey partition) {
    String query = "?id=" + ServerUrls.encoded(mapper.text(TextNode.valueOf(id)));
    return partition.values().isEmpty() ? query : query + "&" + partition(partition);
  }

  /** Returns the parameter with a partition key. */
  String partition(PartitionKey partition) {
    return "partitionKey="
        + ServerUrls.encoded(mapper.text(messages.partitionKey.write(partition)));
  }

  /** Adds the condition and the directive of a write. */
  static HttpCall with(HttpCall call, @Nullable Versionstamp ifMatch, IndexingDirective directive) {
    HttpCall conditional =
        ifMatch == null
            ? call
            : call.with("If-Match", "\"" + ifMatch + "\"").with(Safety.CONDITIONAL);
    return directive == IndexingDirective.DEFAULT
        ? conditional
        : conditional.with("X-Kv-Indexing-Directive", directive.name().toLowerCase(Locale.ROOT));
  }

  /** Returns the form of the partition keys of answers. */
  JsonForm<PartitionKey> partitionKey() {
    return messages.partitionKey;
  }

  JsonNode patch(List<PatchOperation> operations, @Nullable String filter) {
    return messages.patch.write(new PatchRequest(operations, filter));
  }

  JsonNode batch(TransactionalBatch batch) {
    for (BatchOperation operation : batch.operations()) {
      if (operation instanceof BatchOperation.Create create && create.options().ifMatch() != null) {
        throw unsupported("an etag of a creation in a batch", "none");
      }
    }
    return messages.batch.write(batch);
  }

  /** Returns the error for something that the server does not have. */
  static KvException unsupported(String what, String expected) {
    return new KvException(
        KvErrorCode.UNSUPPORTED, what + ": not over a connection (expected: " + expected + ")");
  }

  /** Returns a query whose answer is a stream, which has no pages. */
  ObjectNode stream(SqlQuery query) {
    QueryOptions options =
        query
            .options()
            .withMaxItemCount(QueryOptions.DEFAULT.maxItemCount())
            .withMaxPageBytes(QueryOptions.DEFAULT.maxPageBytes())
            .withExplain(false);
    return query(new QueryRequest(query.withOptions(options)));
  }

  ObjectNode query(QueryRequest request) {
    long memoryBytes = request.query().options().memoryBytes();
    if (memoryBytes != QueryOptions.DEFAULT.memoryBytes()) {
      throw unsupported("memoryBytes: " + memoryBytes, "the default, which the server has");
    }
    return messages.query.writeObject(request);
  }

  /** Returns the selection of changes in a message. */
  ObjectNode changes(ChangeFeedOptions options) {
    return messages.changes.writeObject(options);
  }

  /** Returns the parameters of a page of changes. */
  String changePage(ChangeFeedOptions options, int limit) {
    ArgumentChecks.between("limit", limit, 1, ChangePage.MAX_LIMIT);
    Versionstamp since = options.since();
    PartitionKey partition = options.partitionKey();
    FeedRange range = options.range();
    return "?details=true&mode=%s&limit=%d&since=%s%s%s"
        .formatted(
            options.mode().name().toLowerCase(Locale.ROOT),
            limit,
            since == null ? "now" : since,
            partition == null ? "" : "&" + partition(partition),
            range == null ? "" : "&range=" + ServerUrls.encoded(range.toString()));
  }
}
