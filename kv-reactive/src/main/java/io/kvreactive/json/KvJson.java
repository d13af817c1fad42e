package io.kvreactive.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.internal.json.KeyJson;
import io.kvreactive.internal.json.LineJson;
import io.kvreactive.internal.json.ValueJson;

/**
 * Converts keys, values and entries to readable JSON and back to the same bytes. One exception: the
 * version 14 or 16 in a value's header becomes 15, which has the same meaning.
 *
 * <p>Values that JSON can express are written as plain JSON. Everything else is an object of one
 * property that begins with a dollar sign, such as {@code {"$bigint":"123"}}; {@code docs/json.md}
 * lists all of them. A number with a point or an exponent is a double; a number without one is an
 * int32 if it fits: {@code 1} and {@code 1.0} are two encodings of the same JavaScript number.
 *
 * <p>Writing never fails: a value without a readable form, even malformed bytes, is written as its
 * bytes, {@code {"$v8":"base64"}}. Reading is strict: JSON that nests more than 512 deep is
 * rejected, as is every form that is not exactly as documented. Messages give the position as a
 * JSON pointer (RFC 6901). Only the bytes of {@code $v8} are not checked.
 */
public final class KvJson {
  private KvJson() {}

  /** Returns the JSON of a key: an array of its parts. */
  public static JsonNode toJson(KvKey key) {
    return KeyJson.toJson(key);
  }

  /** Returns the JSON of a value. */
  public static JsonNode toJson(KvValue value) {
    return ValueJson.toJson(value);
  }

  /**
   * Returns the JSON of an entry: an object with {@code key}, {@code value}, {@code versionstamp},
   * {@code expireAt}.
   */
  public static ObjectNode toJson(KvLine line) {
    return LineJson.toJson(line);
  }

  /**
   * Reads a key. Rejects malformed bytes in {@code {"$key":…}}.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey keyOf(JsonNode json) {
    return KeyJson.keyOf(json);
  }

  /**
   * Reads a key that may already be stored: like {@link #keyOf}, but {@code {"$key":…}} may contain
   * any bytes. For reading, deleting and restoring; new keys should be read by {@link #keyOf}.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey storedKeyOf(JsonNode json) {
    return KeyJson.storedKeyOf(json);
  }

  /**
   * Reads a value.
   *
   * @throws KvException INVALID_VALUE
   */
  public static KvValue valueOf(JsonNode json) {
    return ValueJson.valueOf(json);
  }

  /**
   * Reads an entry, with its key as {@link #storedKeyOf}.
   *
   * @throws KvException INVALID_KEY, INVALID_VALUE or INVALID_VERSIONSTAMP for errors in one of
   *     these; INVALID_ARGUMENT for everything else, unknown properties included
   */
  public static KvLine lineOf(JsonNode json) {
    return LineJson.lineOf(json);
  }

  /** Returns an entry as a line of text, without a line end. The text is always valid UTF-16. */
  public static String print(KvLine line) {
    return LineJson.print(line);
  }

  /**
   * Reads an entry from a line of text, with or without a line end.
   *
   * @throws KvException INVALID_ARGUMENT for text that is not one JSON object, or has a duplicate
   *     property in any object; else as {@link #lineOf}
   */
  public static KvLine parse(String line) {
    return LineJson.parse(line);
  }
}
