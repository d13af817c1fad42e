package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;

/**
 * Parses the keys of the command line. Text that begins with a bracket is JSON as in {@code
 * docs/json.md}, for keys with parts of all kinds: {@code ["orders",7]}. All other text is a path
 * of strings: {@code users/ada} is {@code ["users","ada"]}, and {@code orders/7} is {@code
 * ["orders","7"]}. A path has no escapes and no empty parts; use JSON for strings that contain a
 * slash. A malformed stored key is written as it is listed: {@code {"$key":"AA=="}}.
 */
public final class KeyParser {
  private KeyParser() {}

  /**
   * Parses a key.
   *
   * @throws CliException USAGE
   */
  public static KvKey parse(String typed) {
    boolean isEncoded = typed.startsWith("{\"$key\"");
    if (typed.startsWith("[") || isEncoded) {
      try {
        JsonNode json = CliJson.typed("key " + typed, typed);
        return isEncoded ? KvJson.storedKeyOf(json) : KvJson.keyOf(json);
      } catch (KvException e) {
        throw CliException.of(e);
      }
    }
    String[] parts = typed.split("/", -1);
    for (String part : parts) {
      if (part.isEmpty()) {
        throw new CliException(
            ExitCode.USAGE,
            "key \"" + typed + "\" has an empty part (expected: users/ada or [\"users\",\"ada\"])");
      }
    }
    return KvKey.of((Object[]) parts);
  }

  /** Returns the key as JSON. */
  public static String print(KvKey key) {
    return KvJson.toJson(key).toString();
  }
}
