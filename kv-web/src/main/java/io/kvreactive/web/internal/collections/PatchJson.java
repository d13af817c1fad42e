package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.Item;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.PatchOptions;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A patch of an item, as sent.
 *
 * @param filter the condition that the item must meet, or null
 */
public record PatchJson(List<PatchOperation> operations, @Nullable String filter) {
  /**
   * Parses a patch.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  static PatchJson of(JsonNode body) {
    return of("", JsonFields.of(body, "body", "operations", "filter"));
  }

  /**
   * Parses the members {@code operations} and {@code filter} of an object.
   *
   * @param place the place of the object for messages, followed by a point; empty for the body
   */
  static PatchJson of(String place, JsonFields fields) {
    List<PatchOperation> operations = new ArrayList<>();
    int index = 0;
    for (JsonNode each : fields.elements("operations")) {
      operations.add(operation(place + "operations[" + index++ + "]", each));
    }
    boolean isConditional = fields.has("filter") && !fields.isNull("filter");
    return new PatchJson(operations, isConditional ? fields.text("filter") : null);
  }

  /**
   * Parses a patch and applies it to an item. Emits the patched item.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static Mono<ObjectNode> apply(
      DocumentCollection<ObjectNode> items, String id, PartitionKey partition, JsonNode body) {
    PatchJson patch = of(body);
    return items
        .patch(id, partition, patch.operations(), patch.options(WriteOptions.DEFAULT))
        .map(Item::value);
  }

  PatchOptions options(WriteOptions write) {
    return new PatchOptions(filter, write.ifMatch(), write.directive());
  }

  private static PatchOperation operation(String place, JsonNode json) {
    JsonFields fields = JsonFields.of(json, place, "op", "path", "value", "from");
    String path = fields.text("path");
    return switch (fields.text("op")) {
      case "add" -> new PatchOperation.Add(path, fields.json("value"));
      case "set" -> new PatchOperation.Set(path, fields.json("value"));
      case "replace" -> new PatchOperation.Replace(path, fields.json("value"));
      case "remove" -> new PatchOperation.Remove(path);
      case "incr" -> new PatchOperation.Increment(path, number(place, fields.json("value")));
      case "move" -> new PatchOperation.Move(fields.text("from"), path);
      default ->
          throw StrictJson.bad(
              "%s.op: \"%s\" (expected: add, set, replace, remove, incr or move)"
                  .formatted(place, StrictJson.excerpt(fields.text("op"))));
    };
  }

  private static Number number(String place, JsonNode value) {
    if (!value.isNumber()) {
      throw StrictJson.bad(
          "%s.value: %s (expected: a number)"
              .formatted(place, StrictJson.excerpt(value.toString())));
    }
    return value.numberValue();
  }
}
