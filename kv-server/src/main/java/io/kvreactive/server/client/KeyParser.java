package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the keys of the command line, as the explorer does. Text that begins with a bracket is
 * JSON as in {@code docs/json.md}: {@code ["orders",7]}. All other text has parts between slashes
 * or, if there are none, between spaces: {@code users/ada} is {@code ["users","ada"]}, and {@code
 * orders/7} is {@code ["orders",7]}. A part is a number if it looks like one, a bigint as {@code
 * 7n}, a boolean as {@code true} or {@code false}, bytes as {@code 0x00ff}, otherwise a string. A
 * part in quotes is a JSON string: {@code orders/"7"}. A malformed stored key is written as it is
 * listed: {@code {"$key":"AA=="}}.
 */
public final class KeyParser {
  private static final Pattern NUMBER =
      Pattern.compile("-?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern BIGINT = Pattern.compile("-?\\d+n");
  private static final Pattern BYTES = Pattern.compile("0x([0-9a-fA-F]{2})*");
  private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*\"";
  private static final Pattern BY_SLASHES = Pattern.compile("\\s*(" + QUOTED + "|[^/\"]+)\\s*");
  private static final Pattern BY_SPACES = Pattern.compile("(" + QUOTED + "|[^\\s\"]+)");
  private static final String EXPECTED = "(expected: users/ada or [\"users\",\"ada\"])";

  private KeyParser() {}

  /**
   * Parses a key.
   *
   * @throws CliException USAGE
   */
  public static KvKey parse(String typed) {
    String text = typed.strip();
    boolean isEncoded = text.startsWith("{\"$key\"");
    try {
      if (text.startsWith("[") || isEncoded) {
        JsonNode json = CliJson.typed("key " + text, text);
        return isEncoded ? KvJson.storedKeyOf(json) : KvJson.keyOf(json);
      }
      return KvKey.of(parts(text).toArray());
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static List<Object> parts(String text) {
    boolean slashes = text.replaceAll(QUOTED, "").contains("/");
    Matcher part = (slashes ? BY_SLASHES : BY_SPACES).matcher(text);
    List<Object> parts = new ArrayList<>();
    int at = 0;
    while (true) {
      part.region(at, text.length());
      if (!part.lookingAt() || part.group(1).isBlank()) {
        throw new CliException(
            ExitCode.USAGE, "key \"" + text + "\" has an empty part " + EXPECTED);
      }
      parts.add(part(part.group(1).strip()));
      at = part.end();
      if (at == text.length()) {
        return parts;
      }
      if (slashes && text.charAt(at) != '/') {
        throw new CliException(
            ExitCode.USAGE, "key \"" + text + "\" has text beside a part in quotes " + EXPECTED);
      }
      at++;
      while (!slashes && at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }
  }

  private static Object part(String text) {
    if (text.startsWith("\"")) {
      return CliJson.typed("the part " + text, text).textValue();
    }
    if (NUMBER.matcher(text).matches()) {
      return Double.valueOf(text);
    }
    if (BIGINT.matcher(text).matches()) {
      return new BigInteger(text.substring(0, text.length() - 1));
    }
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    return BYTES.matcher(text).matches() ? HexFormat.of().parseHex(text.substring(2)) : text;
  }

  /**
   * Returns what to type for a key whose numbers are strings, or an empty text if the typed key has
   * no numbers.
   */
  public static String withStrings(String typed) {
    String text = typed.strip();
    if (text.startsWith("[") || text.startsWith("{")) {
      return "";
    }
    StringBuilder quoted = new StringBuilder();
    boolean changed = false;
    for (String part : text.split("/", -1)) {
      boolean number = NUMBER.matcher(part.strip()).matches();
      changed |= number;
      quoted.append(quoted.isEmpty() ? "" : "/").append(number ? "\"" + part.strip() + "\"" : part);
    }
    return changed ? quoted.toString() : "";
  }

  /** Returns the key as JSON. */
  public static String print(KvKey key) {
    return KvJson.toJson(key).toString();
  }
}
