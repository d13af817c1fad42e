package io.kvreactive.documents.internal.encoding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kvreactive.documents.internal.value.Values;
import java.nio.charset.StandardCharsets;

/** Decodes values written by {@link ValueEncoding#write}. */
public final class ValueDecoding {
  /**
   * A value decoded from a key.
   *
   * @param tag the tag, see {@link ValueEncoding}
   * @param value the value; a missing node for undefined, and for arrays and objects, whose keys
   *     hold only a hash; for a truncated string, its beginning
   * @param exact true if {@code value} is the written value; false for truncated strings, arrays,
   *     objects, and numbers beyond 2^53, of which an item may have more digits
   * @param next the offset of the byte after the value
   */
  public record DecodedValue(int tag, JsonNode value, boolean exact, int next) {}

  private static final double EXACT_INTEGERS = 1L << 53;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final byte[] key;
  private final int inverted;
  private int position;

  private ValueDecoding(byte[] key, int from, boolean descending) {
    this.key = key;
    this.inverted = descending ? 0xFF : 0;
    this.position = from;
  }

  /**
   * Decodes one value.
   *
   * @param budget the budget of the encoding
   * @throws IllegalArgumentException if the bytes are not a value
   */
  public static DecodedValue read(byte[] key, int from, boolean descending, int budget) {
    try {
      return new ValueDecoding(key, from, descending).value(budget);
    } catch (ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException("There is no value at " + from + " of the key", e);
    }
  }

  private DecodedValue value(int budget) {
    int tag = next();
    return switch (tag) {
      case ValueEncoding.UNDEFINED -> exact(tag, MissingNode.getInstance());
      case ValueEncoding.NULL -> exact(tag, JSON.nullNode());
      case ValueEncoding.FALSE -> exact(tag, JSON.booleanNode(false));
      case ValueEncoding.TRUE -> exact(tag, JSON.booleanNode(true));
      case ValueEncoding.NUMBER -> number();
      case ValueEncoding.STRING -> string(ValueEncoding.stringLimit(budget));
      case ValueEncoding.ARRAY, ValueEncoding.OBJECT -> {
        position += 8;
        yield new DecodedValue(tag, MissingNode.getInstance(), false, position);
      }
      default -> throw new IllegalArgumentException("There is no value of the tag " + tag);
    };
  }

  private DecodedValue exact(int tag, JsonNode value) {
    return new DecodedValue(tag, value, true, position);
  }

  private DecodedValue number() {
    long bits = 0;
    for (int i = 0; i < 8; i++) {
      bits = bits << 8 | next();
    }
    double number = ValueEncoding.number(bits);
    boolean exact = Math.abs(number) < EXACT_INTEGERS;
    JsonNode value =
        exact && number == Math.rint(number)
            ? Values.number((long) number)
            : DoubleNode.valueOf(number);
    return new DecodedValue(ValueEncoding.NUMBER, value, exact, position);
  }

  /**
   * Decodes a string. At the limit a terminator must follow, so that U+0001 is not mistaken for a
   * terminator.
   */
  private DecodedValue string(int limit) {
    int end = endOfAscii(limit);
    if (inverted == 0 && isTerminator(end)) {
      String text = new String(key, position, end - position, StandardCharsets.ISO_8859_1);
      position = end + 1;
      return new DecodedValue(ValueEncoding.STRING, JSON.textNode(text), true, position);
    }
    StringBuilder text = new StringBuilder();
    int taken = 0;
    while (true) {
      int b = next();
      if (b == 0 && !skipEscape()) {
        return new DecodedValue(
            ValueEncoding.STRING, JSON.textNode(text.toString()), true, position);
      }
      if (taken >= limit) {
        return new DecodedValue(
            ValueEncoding.STRING, JSON.textNode(text.toString()), false, position);
      }
      taken += b == 0 ? 3 : 1;
      if (b < 0x80) {
        text.append((char) b);
        continue;
      }
      int bits = b < 0xE0 ? b & 0x1F : b & 0x0F;
      int more = b < 0xE0 ? 1 : 2;
      for (; more > 0 && taken < limit; more--, taken++) {
        bits = bits << 6 | next() & 0x3F;
      }
      if (more == 0) {
        text.append((char) bits);
      }
    }
  }

  /** Returns the offset of the first byte from the current position on that is not ASCII, or 00. */
  private int endOfAscii(int limit) {
    int end = position;
    int last = Math.min(key.length, position + limit);
    while (end < last && key[end] > 0) {
      end++;
    }
    return end;
  }

  private boolean isTerminator(int at) {
    return at < key.length && key[at] == 0 && (at + 1 == key.length || key[at + 1] != (byte) 0xFF);
  }

  private boolean skipEscape() {
    boolean escaped = position < key.length && ((key[position] & 0xFF) ^ inverted) == 0xFF;
    position += escaped ? 1 : 0;
    return escaped;
  }

  private int next() {
    return (key[position++] & 0xFF) ^ inverted;
  }
}
