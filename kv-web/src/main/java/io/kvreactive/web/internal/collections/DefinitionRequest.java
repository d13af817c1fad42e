package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import java.util.ArrayList;
import java.util.List;

/**
 * A request for a definition of a collection.
 *
 * @param text the JSON of the request
 * @param definition the definition of a new collection
 * @param warnings the descriptions of settings that have no effect
 */
public record DefinitionRequest(
    String text, CollectionDefinition definition, List<String> warnings) {
  /**
   * Parses a definition, a policy alone, or the description of a collection.
   *
   * @param name the name of the collection, which a description must have
   * @throws io.kvreactive.index.IndexException INVALID_POLICY, INVALID_PATH
   */
  public static DefinitionRequest of(JsonNode json, String name) {
    for (String member : List.of("name", "id")) {
      JsonNode described = json.get(member);
      if (described != null && !described.asText().equals(name)) {
        throw new IndexException(
            IndexErrorCode.INVALID_POLICY,
            "%s: %s (expected: \"%s\", the collection of the path)"
                .formatted(member, described, name));
      }
    }
    List<String> warnings = new ArrayList<>();
    String text = json.toString();
    return new DefinitionRequest(
        text, CollectionDefinition.parse(text, warnings::add), List.copyOf(warnings));
  }

  /** Returns the definition that replaces the current one. */
  public CollectionDefinition replacing(CollectionDefinition current) {
    return CollectionDefinition.parse(text, current, ignored -> {});
  }

  /** Returns the description of the resulting collection, with the warnings if there are any. */
  public ObjectNode answer(CollectionInfo info) {
    ObjectNode json = CollectionInfoJson.of(info);
    if (!warnings.isEmpty()) {
      ArrayNode array = json.putArray("warnings");
      warnings.forEach(array::add);
    }
    return json;
  }
}
