package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.ArrayList;
import java.util.List;

/** Parses patches of items. */
final class PatchJson {
  private PatchJson() {}

  static List<PatchOperation> operations(JsonNode body) {
    JsonFields fields = JsonFields.of(body, "body", "operations");
    List<PatchOperation> operations = new ArrayList<>();
    int index = 0;
    for (JsonNode each : fields.elements("operations")) {
      operations.add(operation("operations[" + index++ + "]", each));
    }
    return operations;
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
