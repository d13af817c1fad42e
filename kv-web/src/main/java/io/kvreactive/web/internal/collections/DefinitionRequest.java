package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.protocol.CollectionMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for a definition of a collection: a definition, a policy alone, or the description of a
 * collection.
 */
public final class DefinitionRequest {
  /**
   * A definition with remarks.
   *
   * @param warnings the descriptions of settings that have no effect, or are expensive
   */
  record Parsed(CollectionDefinition definition, List<String> warnings) {
    /** Returns the description of the resulting collection, with the warnings if there are any. */
    ObjectNode answer(CollectionInfo info) {
      ObjectNode json = CollectionMessages.COLLECTION.writeObject(info);
      if (!warnings.isEmpty()) {
        ArrayNode array = json.putArray("warnings");
        warnings.forEach(array::add);
      }
      return json;
    }
  }

  private final String text;
  private @Nullable Parsed created;
  private @Nullable DocumentException notCreated;

  private DefinitionRequest(String text) {
    this.text = text;
    try {
      created = parse(text, CollectionDefinition.DEFAULT);
    } catch (DocumentException e) {
      if (!isPolicy(text)) {
        throw e;
      }
      notCreated = e;
    }
  }

  /**
   * Parses a request.
   *
   * @param name the name of the collection, which a description must have
   * @throws DocumentException INVALID_POLICY, INVALID_PATH
   */
  public static DefinitionRequest of(JsonNode json, String name) {
    for (String member : List.of("name", "id")) {
      JsonNode described = json.get(member);
      if (described != null && !described.asText().equals(name)) {
        throw new DocumentException(
            DocumentErrorCode.INVALID_POLICY,
            "%s: %s (expected: \"%s\", the collection of the path)"
                .formatted(member, described, name));
      }
    }
    return new DefinitionRequest(json.toString());
  }

  /** Returns true if a text is a valid policy alone. */
  private static boolean isPolicy(String text) {
    try {
      var unused = Definitions.parsePolicy(text);
      return true;
    } catch (DocumentException e) {
      return false;
    }
  }

  /**
   * Returns the definition of a new collection.
   *
   * @throws DocumentException {@link #notCreated}
   */
  Parsed created() {
    if (created == null) {
      throw Objects.requireNonNull(notCreated);
    }
    return created;
  }

  /**
   * Returns the reason why the request cannot create a collection: a policy may be valid only with
   * other members of a current definition, such as the embeddings of its vectors. Null if the
   * request can create a collection.
   */
  @Nullable DocumentException notCreated() {
    return notCreated;
  }

  /** Returns the definition that replaces the current one. */
  Parsed replacing(CollectionDefinition current) {
    return parse(text, current);
  }

  private static Parsed parse(String text, CollectionDefinition current) {
    List<String> warnings = new ArrayList<>();
    CollectionDefinition definition = Definitions.parse(text, current, warnings::add);
    return new Parsed(definition, List.copyOf(warnings));
  }
}
