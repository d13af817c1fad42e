package io.kvreactive.documents.internal.collection;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.json.JsonSyntax;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts between Java types and JSON like the store's value codec: unknown members are ignored,
 * and numbers are exact.
 */
public final class DocumentType {
  private static final ObjectMapper MAPPER =
      JsonSyntax.beans()
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /** A parser with a checkpoint at each token, because Jackson has none. */
  private static final class Yielding extends JsonParserDelegate {
    Yielding(JsonParser tokens) {
      super(tokens);
    }

    @Override
    public JsonToken nextToken() throws IOException {
      checkpoint();
      return super.nextToken();
    }
  }

  private DocumentType() {}

  /**
   * Converts a document to a JSON object, which the caller may change.
   *
   * @throws DocumentException INVALID_ITEM if the document is not an object, or cannot be written
   *     as JSON
   */
  static ObjectNode object(@Nullable Object document) {
    if (document instanceof ObjectNode object) {
      return JsonNodeFactory.instance.objectNode().setAll(object);
    }
    JsonNode tree = tree(document, DocumentErrorCode.INVALID_ITEM);
    if (tree instanceof ObjectNode object) {
      return object;
    }
    throw new DocumentException(
        DocumentErrorCode.INVALID_ITEM,
        "document: " + kind(tree) + " (expected: an object with an id)");
  }

  /**
   * Returns the tree that parsing the JSON of the given tree gives. For instance, bytes become
   * text.
   */
  static ObjectNode readBack(ObjectNode tree) {
    try {
      return (ObjectNode) Json.parse(MAPPER.writeValueAsBytes(tree));
    } catch (JsonProcessingException e) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM, "document: " + reason(e) + " (expected: JSON)", e);
    }
  }

  /** Converts any value to JSON. */
  public static JsonNode tree(@Nullable Object value, DocumentErrorCode otherwise) {
    if (value instanceof JsonNode node) {
      return node;
    }
    // the most common type of parameters, without the buffer that a mapper fills and reads back
    if (value instanceof String text) {
      return JsonNodeFactory.instance.textNode(text);
    }
    if (value instanceof Integer number) {
      return JsonNodeFactory.instance.numberNode(number.intValue());
    }
    try {
      JsonNode tree = MAPPER.valueToTree(value);
      return tree == null ? JsonNodeFactory.instance.nullNode() : tree;
    } catch (IllegalArgumentException | StackOverflowError e) {
      List<Object> path =
          e.getCause() instanceof JsonProcessingException json ? JsonSyntax.path(json) : List.of();
      String place =
          path.isEmpty()
              ? "of type " + (value == null ? "null" : value.getClass().getName())
              : "at " + JsonSyntax.pointer(path);
      throw new DocumentException(
          otherwise, "value " + place + ": " + reason(e) + " (expected: JSON)", e);
    }
  }

  /**
   * Converts JSON to a Java type.
   *
   * @throws KvException UNREADABLE_VALUE if the JSON does not fit the type
   */
  public static <T> T as(JsonNode json, Class<T> type) {
    if (type.isInstance(json)) {
      return type.cast(json);
    }
    try {
      T value = MAPPER.readValue(new Yielding(MAPPER.treeAsTokens(json)), type);
      if (value != null) {
        return value;
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new KvException(
          KvErrorCode.UNREADABLE_VALUE, kind(json) + " as " + type.getName() + ": " + reason(e), e);
    }
    throw new KvException(
        KvErrorCode.UNREADABLE_VALUE, "null as " + type.getName() + " (expected: a value)");
  }

  private static String kind(JsonNode node) {
    return node.getNodeType().name().toLowerCase(java.util.Locale.ROOT);
  }

  private static String reason(Throwable e) {
    if (e.getCause() instanceof JsonProcessingException json) {
      return json.getOriginalMessage();
    }
    String message =
        e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
    return message == null ? e.getClass().getName() : message;
  }
}
