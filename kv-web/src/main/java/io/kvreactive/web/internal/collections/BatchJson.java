package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.BatchOperation;
import io.kvreactive.index.BatchResult;
import io.kvreactive.index.Item;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.TransactionalBatch;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.BatchOperationException;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JSON of transactional batches. */
public final class BatchJson {
  private static final String INDEXING = "indexing";

  private BatchJson() {}

  /**
   * Parses a batch.
   *
   * @throws WebException BAD_REQUEST for a malformed batch
   * @throws BatchOperationException for a malformed operation
   */
  public static TransactionalBatch of(JsonNode body) {
    JsonFields fields = JsonFields.of(body, "body", CollectionParams.PARTITION, "operations");
    PartitionKey partition =
        fields.has(CollectionParams.PARTITION)
            ? PartitionKeyJson.key(fields.json(CollectionParams.PARTITION))
            : PartitionKey.NONE;
    List<BatchOperation> operations = new ArrayList<>();
    for (JsonNode each : fields.elements("operations")) {
      int index = operations.size();
      try {
        operations.add(operation("operations[" + index + "]", each));
      } catch (WebException | KvException e) {
        throw new BatchOperationException(index, e);
      }
    }
    return new TransactionalBatch(partition, operations);
  }

  private static BatchOperation operation(String place, JsonNode json) {
    String op = json.path("op").asText();
    return switch (op) {
      case "create" -> {
        JsonFields fields = JsonFields.of(json, place, "op", "item", INDEXING);
        yield new BatchOperation.Create(item(place, fields), options(fields));
      }
      case "upsert" -> {
        JsonFields fields = JsonFields.of(json, place, "op", "item", "ifMatch", INDEXING);
        yield new BatchOperation.Upsert(item(place, fields), options(fields));
      }
      case "replace" -> {
        JsonFields fields = JsonFields.of(json, place, "op", "id", "item", "ifMatch", INDEXING);
        yield new BatchOperation.Replace(identified(place, fields), options(fields));
      }
      case "read" -> {
        JsonFields fields = JsonFields.of(json, place, "op", "id", "ifMatch");
        yield new BatchOperation.Read(fields.text("id"), options(fields));
      }
      case "patch" -> {
        JsonFields fields =
            JsonFields.of(json, place, "op", "id", "operations", "filter", "ifMatch", INDEXING);
        PatchJson patch = PatchJson.of(place + ".", fields);
        yield new BatchOperation.Patch(
            fields.text("id"), patch.operations(), patch.options(options(fields)));
      }
      case "delete" -> {
        JsonFields fields = JsonFields.of(json, place, "op", "id", "ifMatch");
        yield new BatchOperation.Delete(fields.text("id"), options(fields));
      }
      default ->
          throw StrictJson.bad(
              "%s.op: \"%s\" (expected: create, upsert, replace, read, patch or delete)"
                  .formatted(place, StrictJson.excerpt(op)));
    };
  }

  private static WriteOptions options(JsonFields fields) {
    @Nullable Versionstamp etag = fields.has("ifMatch") ? fields.versionstamp("ifMatch") : null;
    WriteOptions options = WriteOptions.DEFAULT.withIfMatch(etag);
    return fields.has(INDEXING)
        ? options.withDirective(CollectionParams.directive(INDEXING, fields.text(INDEXING)))
        : options;
  }

  private static ObjectNode item(String place, JsonFields fields) {
    if (fields.json("item") instanceof ObjectNode item) {
      return item;
    }
    throw StrictJson.bad(
        "%s.item: %s (expected: an object)"
            .formatted(place, StrictJson.excerpt(fields.json("item").toString())));
  }

  /** Returns the item with the id of the operation. */
  private static ObjectNode identified(String place, JsonFields fields) {
    ObjectNode item = item(place, fields);
    String id = fields.text("id");
    JsonNode own = item.get("id");
    if (own != null && !own.equals(item.textNode(id))) {
      throw StrictJson.bad(
          "%s.item.id: %s (expected: \"%s\", as in the operation)"
              .formatted(place, StrictJson.excerpt(own.toString()), StrictJson.excerpt(id)));
    }
    return item.put("id", id);
  }

  /** Returns the answer to a batch. */
  public static ObjectNode json(BatchResult<ObjectNode> result) {
    ObjectNode json = StrictJson.object().put("versionstamp", result.versionstamp().toString());
    ArrayNode results = json.putArray("results");
    for (BatchResult.Result<ObjectNode> each : result.results()) {
      ObjectNode one = results.addObject().put("status", status(each.outcome()));
      Item<ObjectNode> item = each.item();
      if (item != null) {
        one.put("etag", item.etag().toString()).set("item", item.value());
      }
    }
    return json;
  }

  private static int status(BatchResult.Outcome outcome) {
    return switch (outcome) {
      case CREATED -> 201;
      case REPLACED, READ -> 200;
      case DELETED -> 204;
    };
  }
}
