package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing buffer of JSON in UTF-8. Not thread-safe. */
public final class JsonText {
  private static final int MAX_KEPT_BYTES = 256 << 10;
  private static final int MAX_DIGITS = 20;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final int firstBytes;
  private byte[] buffer;
  private int length;

  public JsonText(int firstBytes) {
    this.firstBytes = firstBytes;
    this.buffer = new byte[firstBytes];
  }

  /** Writes a key. */
  public void key(byte[] encoded) {
    int before = length;
    if (!DirectKey.write(encoded, this)) {
      length = before;
      tree(KeyJson.toJson(KvKey.fromEncoded(encoded)));
    }
  }

  /** Writes a value. */
  public void value(KvValue value) {
    int before = length;
    if (value.encoding() != KvValue.Encoding.V8 || !DirectJson.write(value.bytes(), this)) {
      length = before;
      tree(ValueJson.toJson(value));
    }
  }

  private void tree(JsonNode json) {
    bytes(LineJson.printBytes(json));
  }

  /** Writes a versionstamp, in quotes. */
  public void versionstamp(Versionstamp stamp) {
    reserve(2 * Versionstamp.BYTES + 2);
    buffer[length++] = '"';
    hex(stamp.version(), Long.BYTES);
    hex(stamp.order(), Short.BYTES);
    buffer[length++] = '"';
  }

  private void hex(long number, int bytes) {
    for (int shift = 8 * bytes - 4; shift >= 0; shift -= 4) {
      buffer[length++] = HEX[(int) (number >>> shift) & 0xF];
    }
  }

  public void number(long number) {
    reserve(MAX_DIGITS);
    length = NumberOutput.outputLong(number, buffer, length);
  }

  /**
   * Writes a string of one-byte characters, in quotes. Returns false for control characters, which
   * only the tree can escape.
   */
  boolean latin1(byte[] chars, int from, int to) {
    reserve(2 * (to - from) + 2);
    buffer[length++] = '"';
    for (int i = from; i < to; i++) {
      int c = chars[i];
      if (c < 0) {
        buffer[length++] = (byte) (0xC0 | (c & 0xFF) >> 6);
        buffer[length++] = (byte) (0x80 | c & 0x3F);
      } else if (c < ' ') {
        return false;
      } else {
        if (c == '"' || c == '\\') {
          buffer[length++] = '\\';
        }
        buffer[length++] = (byte) c;
      }
    }
    buffer[length++] = '"';
    return true;
  }

  /** Writes a string, in quotes and escaped; an unpaired surrogate as its escape. */
  public void string(String string) {
    reserve(string.length() + 2);
    put('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c >= ' ' && c < 0x7F && c != '"' && c != '\\') {
        put(c);
      } else if (c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c)) {
        ascii("\\u");
        reserve(4);
        hex(c, Short.BYTES);
      } else {
        bytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    put('"');
  }

  public void ascii(String ascii) {
    int n = ascii.length();
    reserve(n);
    for (int i = 0; i < n; i++) {
      buffer[length++] = (byte) ascii.charAt(i);
    }
  }

  void put(int b) {
    if (length == buffer.length) {
      reserve(1);
    }
    buffer[length++] = (byte) b;
  }

  void bytes(byte[] bytes) {
    bytes(bytes, 0, bytes.length);
  }

  void bytes(byte[] bytes, int from, int count) {
    reserve(count);
    System.arraycopy(bytes, from, buffer, length, count);
    length += count;
  }

  void reserve(int more) {
    if (buffer.length - length < more) {
      long needed = (long) length + more;
      long size = Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * buffer.length));
      buffer = Arrays.copyOf(buffer, (int) Math.max(needed, size));
    }
  }

  public int length() {
    return length;
  }

  public void reset() {
    length = 0;
    if (buffer.length > MAX_KEPT_BYTES) {
      buffer = new byte[firstBytes];
    }
  }

  public byte[] toBytes() {
    return Arrays.copyOf(buffer, length);
  }

  @Override
  public String toString() {
    return new String(buffer, 0, length, StandardCharsets.UTF_8);
  }
}
