package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * A request for a definition of a collection.
 *
 * @param warnings the descriptions of settings that have no effect
 */
public record DefinitionRequest(CollectionDefinition definition, List<String> warnings) {
  /**
   * Parses a definition.
   *
   * @throws io.kvreactive.index.IndexException INVALID_POLICY, INVALID_PATH
   */
  public static DefinitionRequest of(JsonNode json) {
    List<String> warnings = new ArrayList<>();
    return new DefinitionRequest(
        CollectionDefinition.parse(json.toString(), warnings::add), List.copyOf(warnings));
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
