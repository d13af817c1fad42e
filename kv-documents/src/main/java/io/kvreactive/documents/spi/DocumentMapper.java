package io.kvreactive.documents.spi;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import org.jspecify.annotations.Nullable;

/** Converts documents, rows and parameters to JSON and back, as embedded collections do. */
public interface DocumentMapper {
  /**
   * A document that passed the checks that need no collection.
   *
   * @param json the JSON in UTF-8, without the members that the store adds
   */
  record Encoded(String id, byte[] json) {}

  /**
   * Encodes a document.
   *
   * @throws DocumentException INVALID_ITEM, ITEM_TOO_LARGE
   */
  Encoded encode(Object document);

  /**
   * Converts any value to JSON.
   *
   * @throws DocumentException with the code {@code otherwise} if the value has no JSON;
   *     INVALID_ITEM for a number that a double cannot represent; ITEM_TOO_LARGE
   */
  JsonNode tree(@Nullable Object value, DocumentErrorCode otherwise);

  /** Returns compact JSON; lone surrogates are escaped. */
  String text(JsonNode json);

  /**
   * Parses one JSON value, such as an answer of a server with any items that a store accepts.
   * Numbers keep all digits.
   *
   * @throws DocumentException INVALID_ITEM, ITEM_TOO_LARGE
   */
  JsonNode parse(byte[] json);

  /**
   * Converts JSON to a Java type.
   *
   * @throws KvException UNREADABLE_VALUE if the JSON does not fit the type
   */
  <T> T as(JsonNode json, Class<T> type);
}
