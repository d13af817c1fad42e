package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses partition keys: a value, or an array of values. */
public final class PartitionKeyJson {
  private PartitionKeyJson() {}

  /**
   * Parses a partition key.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static PartitionKey key(JsonNode json) {
    List<@Nullable Object> values = new ArrayList<>();
    if (json.isArray()) {
      json.forEach(value -> values.add(value(value)));
    } else {
      values.add(value(json));
    }
    return new PartitionKey(values);
  }

  /**
   * Parses a body with nothing but a partition key.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static PartitionKey ofBody(JsonNode body) {
    return key(
        JsonFields.of(body, "body", CollectionParams.PARTITION).json(CollectionParams.PARTITION));
  }

  private static @Nullable Object value(JsonNode json) {
    if (json.isTextual()) {
      return json.textValue();
    }
    if (json.isNumber()) {
      return json.numberValue();
    }
    if (json.isBoolean()) {
      return json.booleanValue();
    }
    if (json.isNull()) {
      return null;
    }
    throw StrictJson.bad(
        "%s: %s (expected: text, a number, a boolean or null, or an array of them)"
            .formatted(CollectionParams.PARTITION, StrictJson.excerpt(json.toString())));
  }
}
