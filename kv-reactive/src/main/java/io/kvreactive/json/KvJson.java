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
 * Keys, values and entries as JSON that people can read and write, and back to the very same bytes;
 * but for the version in a value's header, where 14 and 16 become 15, which means the same.
 *
 * <p>What JSON has a notation for is written in it. Everything else is an object of one property
 * that begins with a dollar sign, such as {@code {"$bigint":"123"}}; {@code docs/json.md} lists
 * all. A number with a point or an exponent is a double, one without is an int32 where that fits:
 * {@code 1} and {@code 1.0} are two encodings of the same JavaScript number.
 *
 * <p>Writing never fails: a value that has no readable form, down to bytes that are no value at
 * all, is written as its bytes, {@code {"$v8":"base64"}}. Reading trusts nothing: JSON that nests
 * more than 512 deep is refused, as is every form that is not exactly as documented, and messages
 * say where by a JSON pointer (RFC 6901). Only {@code $v8} is taken as it is.
 */
public final class KvJson {
  private KvJson() {}

  /** Returns a key: an array of its parts. */
  public static JsonNode toJson(KvKey key) {
    return KeyJson.toJson(key);
  }

  /** Returns a value. */
  public static JsonNode toJson(KvValue value) {
    return ValueJson.toJson(value);
  }

  /**
   * Returns an entry: an object with {@code key}, {@code value}, {@code versionstamp}, {@code
   * expireAt}.
   */
  public static ObjectNode toJson(KvLine line) {
    return LineJson.toJson(line);
  }

  /**
   * Reads a key. Refuses the bytes of {@code {"$key":…}} when they are malformed.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey keyOf(JsonNode json) {
    return KeyJson.keyOf(json);
  }

  /**
   * Reads a key that a store may have: like {@link #keyOf}, but {@code {"$key":…}} may hold any
   * bytes. For reading, deleting and restoring; a key that is new should be read by {@link #keyOf}.
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
   * Reads an entry; its key as {@link #storedKeyOf}.
   *
   * @throws KvException INVALID_KEY, INVALID_VALUE or INVALID_VERSIONSTAMP for what is wrong in one
   *     of these; INVALID_ARGUMENT for everything else, unknown properties included
   */
  public static KvLine lineOf(JsonNode json) {
    return LineJson.lineOf(json);
  }

  /**
   * Returns an entry as a line of text, without the end of line. Text of valid UTF-16 in any case.
   */
  public static String print(KvLine line) {
    return LineJson.print(line);
  }

  /**
   * Reads an entry from a line of text, with or without the end of line.
   *
   * @throws KvException INVALID_ARGUMENT for text that is not one JSON object, or has a property
   *     twice in any object; else as {@link #lineOf}
   */
  public static KvLine parse(String line) {
    return LineJson.parse(line);
  }
}
