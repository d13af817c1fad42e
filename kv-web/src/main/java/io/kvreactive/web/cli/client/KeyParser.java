package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.cli.ExitCode;

/**
 * Keys as they are typed. What begins with a bracket is JSON as {@code docs/json.md} has it, for
 * keys of all kinds: {@code ["orders",7]}. Everything else is a path of strings: {@code users/ada}
 * is {@code ["users","ada"]}, and {@code orders/7} is {@code ["orders","7"]}. In a path nothing is
 * escaped and no part is empty; write JSON for strings with a slash in them. A key that a store has
 * and that no parts make is typed as it is listed: {@code {"$key":"AA=="}}.
 */
public final class KeyParser {
  private KeyParser() {}

  /** The key that was typed. */
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

  /** The key as JSON. */
  public static String print(KvKey key) {
    return KvJson.toJson(key).toString();
  }
}
