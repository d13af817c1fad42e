package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.value.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A continuation token: the position at which a page of a query ended, as opaque text.
 *
 * @param query the hash of the query to which the token belongs
 * @param index the name of the index that is scanned; empty for items
 * @param after the position of the last item all of whose rows have been taken; null for none
 * @param partial the document id of the item of which some rows have been taken; 0 for none
 * @param rows the number of rows taken of the partial item
 * @param keys the sort keys of the last row; empty if rows are not sorted
 * @param offset the number of rows still to be skipped
 * @param limit the number of rows that may still follow
 * @param last the last row, if duplicates of it must be skipped; else null
 * @param held the held result whose rows continue; null for queries that do not combine rows.
 *     Otherwise {@code rows} is the number of all rows taken, and {@code index} the order of items
 */
record ContinuationToken(
    String query,
    String index,
    @Nullable ScanPosition after,
    long partial,
    long rows,
    List<JsonNode> keys,
    long offset,
    long limit,
    @Nullable JsonNode last,
    @Nullable Held held) {
  /**
   * A result that was held for the token when it was issued.
   *
   * @param id the random id of the result
   * @param marks the marks of the last rows taken, the last one first
   */
  record Held(String id, List<Integer> marks) {}

  /**
   * Maximum length in characters. A sort key may be a text as long as an item, with six characters
   * for each one.
   */
  private static final int MAX_LENGTH = 64 << 20;

  /** Returns the position in a result that was computed again. */
  int positionIn(WholeResult result) {
    return result.positionAfter(rows, held == null ? List.of() : held.marks());
  }

  /** Returns the token as text. */
  String encode() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("q", query).put("i", index).put("d", partial).put("r", rows);
    json.put("o", offset).put("l", limit);
    ScanPosition at = after;
    if (at != null) {
      byte[] raw = at.raw();
      json.put("k", String.valueOf(at.kind().letter())).put("n", at.docId());
      json.put("e", raw == null ? "" : Base64.getUrlEncoder().encodeToString(raw));
    }
    put(json.putArray("v"), keys);
    if (at != null && at.keys() != null) {
      put(json.putArray("m"), at.keys());
    }
    if (last != null) {
      put(json.putArray("s"), List.of(last));
    }
    if (held != null) {
      held.marks().forEach(json.put("h", held.id()).putArray("t")::add);
    }
    byte[] body = Json.write(json);
    CRC32C crc = new CRC32C();
    crc.update(body);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(body)
        + "."
        + Long.toHexString(crc.getValue());
  }

  /**
   * Writes sort keys. Each is in an array, because undefined is no JSON. Arrays and objects are
   * written as text after a null, because they may have the maximum depth of JSON.
   */
  private static void put(ArrayNode out, List<JsonNode> keys) {
    for (JsonNode key : keys) {
      ArrayNode value = out.addArray();
      if (key.isContainerNode()) {
        value.addNull().add(Json.writeText(key));
      } else if (!key.isMissingNode()) {
        value.add(key);
      }
    }
  }

  private static List<JsonNode> keys(JsonNode array) {
    List<JsonNode> keys = new ArrayList<>(array.size());
    for (JsonNode key : array) {
      keys.add(key.size() > 1 ? Json.parse(key.required(1).textValue()) : key.path(0));
    }
    return List.copyOf(keys);
  }

  /**
   * Decodes a token.
   *
   * @param query the hash of the query to which the token must belong
   * @throws DocumentException INVALID_CONTINUATION if the token is invalid or belongs to another
   *     query
   */
  static ContinuationToken decode(String text, String query) {
    ContinuationToken token;
    try {
      token = read(text);
    } catch (RuntimeException e) {
      throw invalid("it is malformed or was modified", e);
    }
    if (!token.query().equals(query)) {
      throw invalid("it belongs to another query, or to other parameters of it", null);
    }
    return token;
  }

  static DocumentException invalid(String why, @Nullable Throwable cause) {
    return new DocumentException(
        DocumentErrorCode.INVALID_CONTINUATION,
        "The continuation cannot be used: " + why + ". Start the query again without it.",
        cause);
  }

  /** Returns the error for a position that the current plan does not have. */
  static DocumentException planChanged() {
    return invalid("the plan and the order of rows have changed since it was issued", null);
  }

  /** Returns the error for a position in an index that does not exist any more. */
  static DocumentException indexNotFound(String index) {
    return invalid("index \"" + index + "\" of its position no longer exists", null);
  }

  private static ContinuationToken read(String text) {
    int dot = text.indexOf('.');
    if (dot < 0 || text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("length");
    }
    byte[] body =
        Base64.getUrlDecoder().decode(text.substring(0, dot).getBytes(StandardCharsets.US_ASCII));
    CRC32C crc = new CRC32C();
    crc.update(body);
    if (!Long.toHexString(crc.getValue()).equals(text.substring(dot + 1))) {
      throw new IllegalArgumentException("checksum");
    }
    JsonNode json = Json.parse(body);
    ContinuationToken token =
        new ContinuationToken(
            text(json, "q"),
            text(json, "i"),
            position(json),
            json.required("d").longValue(),
            json.required("r").longValue(),
            keys(json.required("v")),
            json.required("o").longValue(),
            json.required("l").longValue(),
            json.has("s") ? keys(json.required("s")).get(0) : null,
            json.has("h") ? held(json) : null);
    if (token.partial() < 0 || token.rows() < 0 || token.offset() < 0 || token.limit() < 0) {
      throw new IllegalArgumentException("range");
    }
    return token;
  }

  private static String text(JsonNode json, String name) {
    String text = json.required(name).textValue();
    if (text == null) {
      throw new IllegalArgumentException(name);
    }
    return text;
  }

  private static Held held(JsonNode json) {
    List<Integer> marks = new ArrayList<>();
    for (JsonNode mark : json.required("t")) {
      marks.add(mark.intValue());
    }
    return new Held(text(json, "h"), marks);
  }

  private static @Nullable ScanPosition position(JsonNode json) {
    if (!json.has("k")) {
      return null;
    }
    ScanPosition.Kind kind = ScanPosition.Kind.of(json.required("k").textValue());
    byte[] raw = Base64.getUrlDecoder().decode(json.required("e").textValue());
    long docId = json.required("n").longValue();
    List<JsonNode> keys = json.has("m") ? keys(json.required("m")) : null;
    if (kind == null || docId < 0 || docId == Long.MAX_VALUE) {
      throw new IllegalArgumentException("position");
    }
    return new ScanPosition(kind, docId, raw.length == 0 ? null : raw, keys);
  }
}
