package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the collection, item and partition of a request. */
final class CollectionParams {
  static final String ID = "id";
  static final String PARTITION = "partitionKey";
  static final String RANGE = "range";

  private CollectionParams() {}

  static String name(RoutingContext context) {
    return RequestContext.of(context).name("collection");
  }

  /**
   * Returns the id of the item: from the path, or from the query as a JSON string. A path cannot
   * contain lone surrogates.
   */
  static String id(RoutingContext context, QueryParams query) {
    String inPath = RequestContext.of(context).nameIfAny(ID);
    if (inPath != null) {
      return inPath;
    }
    JsonNode id = StrictJson.parse(ID, query.required(ID));
    if (!id.isTextual()) {
      throw StrictJson.bad(
          "id: %s (expected: a JSON string)".formatted(StrictJson.excerpt(id.toString())));
    }
    return id.textValue();
  }

  /** Reads the query parameters of a request for one item. */
  static QueryParams item(RoutingContext context, String... others) {
    List<String> known = new ArrayList<>(List.of(others));
    if (RequestContext.of(context).nameIfAny(ID) == null) {
      known.add(ID);
    }
    return QueryParams.of(context, known.toArray(String[]::new));
  }

  static DocumentCollection<ObjectNode> collection(RoutingContext context) {
    return collection(context, ObjectNode.class);
  }

  static <T> DocumentCollection<T> collection(RoutingContext context, Class<T> type) {
    return RequestContext.of(context).documents().collection(name(context), type);
  }

  /** Returns the range of partition keys of the query; null if it is missing. */
  static @Nullable FeedRange range(QueryParams query) {
    String text = query.text(RANGE);
    return text == null ? null : FeedRange.parse(text);
  }

  /**
   * Returns the partition key of the query, a JSON value or an array of values; the empty key if it
   * is missing.
   */
  static PartitionKey partition(QueryParams query) {
    String text = query.text(PARTITION);
    return text == null ? PartitionKey.NONE : key(text);
  }

  /** Parses a partition key, a JSON value or an array of values. */
  static PartitionKey key(String text) {
    return StrictJson.read(
        StrictJson.parse(PARTITION, text), PARTITION, ServerMessages.REQUESTS.partitionKey);
  }
}
