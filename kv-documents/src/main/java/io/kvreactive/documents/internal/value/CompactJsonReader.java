package io.kvreactive.documents.internal.value;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpointAfter;

import com.fasterxml.jackson.core.io.NumberInput;
import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON that {@link Json#write} makes, which has no blanks, from its bytes: half the time
 * of the general parser. Methods return null for any other text, valid or not, which is left to the
 * general parser. An instance reads once. Not thread-safe.
 */
final class CompactJsonReader {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int MAX_DIGITS = 18; // of a long, whatever the digits are
  private static final char REPLACEMENT = '\uFFFD';

  private final byte[] bytes;
  private final @Nullable MemberNames shared;
  private int at;

  /**
   * Creates a reader of the bytes from an offset to the end.
   *
   * @param shared the names that documents have in common; null for none
   */
  CompactJsonReader(byte[] bytes, int from, @Nullable MemberNames shared) {
    this.bytes = bytes;
    this.shared = shared;
    this.at = from;
  }

  /**
   * Returns the object.
   *
   * @param names the members to return, after which the rest is not read; null for all
   */
  @Nullable ObjectNode read(@Nullable Set<String> names) {
    ObjectNode object = peek() == '{' ? object(1, names) : null;
    return object == null || names == null && at != bytes.length ? null : object;
  }

  /** Returns the next byte, or 0 at the end. */
  private byte peek() {
    return at < bytes.length ? bytes[at] : 0;
  }

  private boolean skip(char expected) {
    if (peek() != expected) {
      return false;
    }
    at++;
    return true;
  }

  private @Nullable ObjectNode object(int depth, @Nullable Set<String> names) {
    if (depth > Json.MAX_DEPTH) {
      return null;
    }
    ObjectNode object = JSON.objectNode();
    at++;
    if (skip('}')) {
      return object;
    }
    do {
      checkpoint();
      String name = peek() == '"' ? name() : null;
      if (name == null || !skip(':')) {
        return null;
      }
      boolean isWanted = names == null || names.contains(name);
      if (!isWanted && skipText()) {
        continue;
      }
      JsonNode value = value(depth);
      if (value == null || isWanted && object.replace(name, value) != null) {
        return null;
      }
      if (names != null && object.size() == names.size()) {
        return object;
      }
    } while (skip(','));
    return skip('}') ? object : null;
  }

  private @Nullable JsonNode value(int depth) {
    switch (peek()) {
      case '"' -> {
        String text = text();
        return text == null ? null : Values.text(text);
      }
      case '{' -> {
        return object(depth + 1, null);
      }
      case '[' -> {
        return array(depth + 1);
      }
      case 't' -> {
        return word("true") ? Values.TRUE : null;
      }
      case 'f' -> {
        return word("false") ? Values.FALSE : null;
      }
      case 'n' -> {
        return word("null") ? Values.NULL : null;
      }
      default -> {
        return number();
      }
    }
  }

  private @Nullable ArrayNode array(int depth) {
    if (depth > Json.MAX_DEPTH) {
      return null;
    }
    ArrayNode array = JSON.arrayNode();
    at++;
    if (skip(']')) {
      return array;
    }
    do {
      checkpoint();
      JsonNode element = value(depth);
      if (element == null) {
        return null;
      }
      array.add(element);
    } while (skip(','));
    return skip(']') ? array : null;
  }

  private boolean word(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (!skip(word.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private @Nullable JsonNode number() {
    int start = at;
    boolean isNegative = skip('-');
    int digits = at;
    long value = 0;
    while (isDigit(peek())) {
      value = 10 * value + (bytes[at] - '0'); // may overflow: the digits are counted below
      at++;
    }
    int count = at - digits;
    if (count == 0 || count > MAX_DIGITS || count > 1 && bytes[digits] == '0') {
      return null;
    }
    byte next = peek();
    if (next != '.' && next != 'e' && next != 'E') {
      return Values.number(isNegative ? -value : value);
    }
    while (isDigit(next) || next == '.' || next == 'e' || next == 'E' || next == '-') {
      at++;
      next = peek();
    }
    if (at - start > Json.MAX_NUMBER_LENGTH) {
      return null;
    }
    String text = new String(bytes, start, at - start, StandardCharsets.ISO_8859_1);
    try {
      double number = NumberInput.parseDouble(text, true);
      return text.equals(NumberOutput.toString(number, true)) ? DoubleNode.valueOf(number) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Skips a text without escapes. Returns false, and skips nothing, for other values. */
  private boolean skipText() {
    if (peek() != '"') {
      return false;
    }
    int end = at + 1;
    while (end < bytes.length && bytes[end] != '"' && bytes[end] != '\\') {
      end++;
    }
    if (end >= bytes.length || bytes[end] != '"') {
      return false;
    }
    at = end + 1;
    return true;
  }

  /** Returns the name of a member. */
  private @Nullable String name() {
    MemberNames known = shared;
    if (known == null) {
      return text();
    }
    int start = at + 1;
    int end = Math.min(bytes.length, start + MemberNames.MAX_LENGTH);
    int hash = 0; // that of String
    for (int i = start; i < end && bytes[i] >= ' ' && bytes[i] != '\\'; i++) {
      if (bytes[i] == '"') {
        at = i + 1;
        return known.get(bytes, start, i - start, hash);
      }
      hash = 31 * hash + bytes[i];
    }
    return text();
  }

  private @Nullable String text() {
    int start = ++at;
    int all = 0; // the bits of all bytes: negative if one is not ASCII
    for (; at < bytes.length; at++) {
      byte b = bytes[at];
      if (b == '"') {
        int length = at++ - start;
        checkpointAfter(length);
        return all >= 0
            ? new String(bytes, start, length, StandardCharsets.ISO_8859_1)
            : utf8(start, length);
      } else if (b == '\\') {
        return escaped(start);
      } else if (b >= 0 && b < ' ') {
        return null;
      }
      all |= b;
    }
    return null;
  }

  private @Nullable String utf8(int start, int length) {
    String text = new String(bytes, start, length, StandardCharsets.UTF_8);
    return text.indexOf(REPLACEMENT) < 0 ? text : null; // in the text, or for malformed bytes
  }

  /** Returns a text whose first escape is at the current position. */
  private @Nullable String escaped(int from) {
    StringBuilder text = new StringBuilder();
    int start = from;
    while (at < bytes.length) {
      byte b = bytes[at];
      if (b >= 0 && b < ' ') {
        return null;
      } else if (b != '"' && b != '\\') {
        at++;
        continue;
      }
      String part = utf8(start, at - start);
      if (part == null) {
        return null;
      }
      text.append(part);
      at++;
      if (b == '"') {
        checkpointAfter(text.length());
        return text.toString();
      }
      int c = escape();
      if (c < 0) {
        return null;
      }
      text.append((char) c);
      start = at;
    }
    return null;
  }

  /** Returns the character of the escape behind a backslash, or -1 if there is none. */
  private int escape() {
    byte b = peek();
    at++;
    return switch (b) {
      case '"', '\\', '/' -> b;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex();
      default -> -1;
    };
  }

  private int hex() {
    if (bytes.length - at < 4) {
      return -1;
    }
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(bytes[at++], 16);
      if (digit < 0) {
        return -1;
      }
      value = 16 * value + digit;
    }
    return value;
  }
}
