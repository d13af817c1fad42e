package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * JSON of strings. UTF-8 and many JSON tools cannot represent an unpaired surrogate, such as half
 * of an emoji. A string that contains one is written in pieces, with such code units as numbers
 * between them.
 */
final class StringJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private StringJson() {}

  static JsonNode toJson(String text) {
    int lone = firstLone(text, 0);
    if (lone == text.length()) {
      return JSON.textNode(text);
    }
    ArrayNode pieces = JSON.arrayNode();
    int from = 0;
    for (; lone < text.length(); lone = firstLone(text, from)) {
      if (lone > from) {
        pieces.add(text.substring(from, lone));
      }
      pieces.add((int) text.charAt(lone));
      from = lone + 1;
    }
    if (from < text.length()) {
      pieces.add(text.substring(from));
    }
    return JsonTag.STRING.with(pieces);
  }

  /** Returns the index of the first unpaired surrogate, or the length. */
  private static int firstLone(String text, int from) {
    int length = text.length();
    for (int i = from; i < length; i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == length
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return i;
        }
        i++;
      }
    }
    return length;
  }

  /** Returns a string in either notation. */
  static String read(JsonNode node, JsonPosition at) {
    if (node.isTextual()) {
      return node.textValue();
    }
    if (!JsonTag.STRING.is(node)) {
      throw at.invalid(node, "a string");
    }
    at.enter(JsonTag.STRING.tag());
    String text = pieces(JsonTag.STRING.payload(node), at);
    at.leave();
    return text;
  }

  /** Returns the string of a payload of {@code $string}. */
  static String pieces(JsonNode payload, JsonPosition at) {
    if (!payload.isArray()) {
      throw at.invalid(payload, "an array of strings and code units");
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode piece : payload) {
      if (piece.isTextual()) {
        text.append(piece.textValue());
      } else if (piece.isIntegralNumber() && piece.canConvertToInt() && isUnit(piece.intValue())) {
        text.append((char) piece.intValue());
      } else {
        throw at.invalid(piece, "a string, or a code unit from 0 to 65535");
      }
    }
    return text.toString();
  }

  private static boolean isUnit(int number) {
    return number >= 0 && number <= Character.MAX_VALUE;
  }
}
