package io.kvreactive.index.remote.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.index.BatchException;
import io.kvreactive.index.BatchOperation;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangePage;
import io.kvreactive.index.FeedRange;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.IndexingDirective;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.PatchOptions;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.TransactionalBatch;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.index.spi.DocumentMapper;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes the JSON and the parameters of requests. */
final class RequestJson {
  /** Maximum of {@link QueryOptions#maxPageBytes} on a server. */
  private static final long MAX_PAGE_BYTES = 16 << 20;

  private final DocumentMapper mapper;

  RequestJson(DocumentMapper mapper) {
    this.mapper = mapper;
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  Buffer body(JsonNode json) {
    return Buffer.buffer(mapper.text(json));
  }

  /** Returns the part of a path that names an item by id. */
  String item(String id, PartitionKey partition) {
    String query = "?id=" + ServerUrls.encoded(mapper.text(object().textNode(id)));
    return partition.values().isEmpty() ? query : query + "&" + partition(partition);
  }

  /** Returns the parameter with a partition key. */
  String partition(PartitionKey partition) {
    return "partitionKey=" + ServerUrls.encoded(mapper.text(key(partition)));
  }

  private ArrayNode key(PartitionKey partition) {
    ArrayNode values = JsonNodeFactory.instance.arrayNode();
    for (Object value : partition.values()) {
      values.add(mapper.tree(value, IndexErrorCode.INVALID_ARGUMENT));
    }
    return values;
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

  ObjectNode patch(List<PatchOperation> operations, @Nullable String filter) {
    ObjectNode json = object();
    ArrayNode array = json.putArray("operations");
    operations.forEach(operation -> array.add(operation(operation)));
    return filter == null ? json : json.put("filter", filter);
  }

  private ObjectNode operation(PatchOperation operation) {
    ObjectNode json = object().put("path", operation.path());
    if (operation instanceof PatchOperation.Add add) {
      return with(json.put("op", "add"), add.value());
    }
    if (operation instanceof PatchOperation.Set set) {
      return with(json.put("op", "set"), set.value());
    }
    if (operation instanceof PatchOperation.Replace replace) {
      return with(json.put("op", "replace"), replace.value());
    }
    if (operation instanceof PatchOperation.Increment increment) {
      return with(json.put("op", "incr"), increment.by());
    }
    if (operation instanceof PatchOperation.Move move) {
      return json.put("op", "move").put("from", move.from());
    }
    return json.put("op", "remove");
  }

  private ObjectNode with(ObjectNode json, @Nullable Object value) {
    json.set("value", mapper.tree(value, IndexErrorCode.INVALID_PATCH));
    return json;
  }

  ObjectNode batch(TransactionalBatch batch) {
    ObjectNode json = object();
    if (!batch.partition().values().isEmpty()) {
      json.set("partitionKey", key(batch.partition()));
    }
    ArrayNode operations = json.putArray("operations");
    for (BatchOperation operation : batch.operations()) {
      try {
        operations.add(operation(operation));
      } catch (IndexException e) {
        throw new BatchException(operations.size(), e);
      }
    }
    return json;
  }

  private ObjectNode operation(BatchOperation operation) {
    if (operation instanceof BatchOperation.Create create) {
      if (create.options().ifMatch() != null) {
        throw unsupported("an etag of a creation in a batch", "none");
      }
      return document(write("create", create.options()), create.document());
    }
    if (operation instanceof BatchOperation.Upsert upsert) {
      return document(write("upsert", upsert.options()), upsert.document());
    }
    if (operation instanceof BatchOperation.Replace replace) {
      ObjectNode json = document(write("replace", replace.options()), replace.document());
      json.set("id", json.path("item").path("id"));
      return json;
    }
    if (operation instanceof BatchOperation.Read read) {
      return write("read", read.options().withDirective(IndexingDirective.DEFAULT))
          .put("id", read.id());
    }
    if (operation instanceof BatchOperation.Patch patch) {
      PatchOptions options = patch.options();
      ObjectNode json =
          write("patch", new WriteOptions(options.ifMatch(), options.directive()))
              .put("id", patch.id());
      return json.setAll(patch(patch.operations(), options.filter()));
    }
    BatchOperation.Delete delete = (BatchOperation.Delete) operation;
    return write("delete", delete.options().withDirective(IndexingDirective.DEFAULT))
        .put("id", delete.id());
  }

  private ObjectNode document(ObjectNode json, Object document) {
    json.set("item", mapper.parse(mapper.encode(document).json()));
    return json;
  }

  private static ObjectNode write(String op, WriteOptions options) {
    ObjectNode json = object().put("op", op);
    Versionstamp etag = options.ifMatch();
    if (etag != null) {
      json.put("ifMatch", etag.toString());
    }
    return options.directive() == IndexingDirective.DEFAULT
        ? json
        : json.put("indexing", options.directive().name().toLowerCase(Locale.ROOT));
  }

  /** Returns the error for something that the server does not have. */
  static KvException unsupported(String what, String expected) {
    return new KvException(
        KvErrorCode.UNSUPPORTED, what + ": not over a connection (expected: " + expected + ")");
  }

  /** Returns the members of a query that pages, lines and streams have. */
  ObjectNode query(SqlQuery query) {
    QueryOptions options = query.options();
    if (options.memoryBytes() != QueryOptions.DEFAULT.memoryBytes()) {
      throw unsupported(
          "memoryBytes: " + options.memoryBytes(), "the default, which the server has");
    }
    ObjectNode json = object().put("query", query.text());
    ArrayNode parameters = json.putArray("parameters");
    query
        .parameters()
        .forEach(
            (given, value) -> {
              String name = given.startsWith("@") ? given : "@" + given;
              parameters.addObject().put("name", name).set("value", parameter(name, value));
            });
    if (options.plannerMode() != QueryOptions.PlannerMode.STRICT) {
      json.put("plannerMode", "extended");
    }
    if (options.forceScan()) {
      json.put("forceScan", true);
    }
    if (!options.enableScan()) {
      json.put("enableScan", false);
    }
    if (!options.continuation().isEmpty()) {
      json.put("continuation", options.continuation());
    }
    PartitionKey partition = options.partitionKey();
    if (partition != null) {
      json.set("partitionKey", key(partition));
    }
    return json;
  }

  /** Returns a query whose answer is a page. */
  ObjectNode page(SqlQuery query) {
    QueryOptions options = query.options();
    return query(query)
        .put("maxItemCount", options.maxItemCount())
        .put("maxPageBytes", Math.min(MAX_PAGE_BYTES, options.maxPageBytes()));
  }

  /** Returns the selection of changes in a message. */
  ObjectNode changes(ChangeFeedOptions options, @Nullable Versionstamp since) {
    ObjectNode json = object().put("mode", options.mode().name().toLowerCase(Locale.ROOT));
    if (since != null) {
      json.put("since", since.toString());
    }
    PartitionKey partition = options.partitionKey();
    if (partition != null) {
      json.set("partitionKey", key(partition));
    }
    FeedRange range = options.range();
    return range == null ? json : json.put("range", range.toString());
  }

  private JsonNode parameter(String name, @Nullable Object value) {
    try {
      return mapper.tree(value, IndexErrorCode.INVALID_ARGUMENT);
    } catch (IndexException e) {
      throw new IndexException(e.code(), "parameter " + name + ": " + e.detail(), e);
    }
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
