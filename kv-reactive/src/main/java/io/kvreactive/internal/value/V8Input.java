package io.kvreactive.internal.value;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A reader of a value's bytes with the primitives of V8's format. A length is checked against the
 * remaining bytes before memory is allocated for it.
 */
final class V8Input {
  private final byte[] bytes;
  private final int version;
  private int at;

  /** Creates a reader and reads the header. */
  V8Input(byte[] bytes) {
    this.bytes = bytes;
    if (bytes.length < 2 || bytes[0] != (byte) V8Tag.VERSION) {
      throw unreadable("no V8 header", 0);
    }
    at = 1;
    long number = varint();
    if (number > V8Tag.MAX_VERSION) {
      throw unreadable("version " + number + " (expected: 0.." + V8Tag.MAX_VERSION + ")", 1);
    }
    version = (int) number;
  }

  int version() {
    return version;
  }

  int position() {
    return at;
  }

  int remaining() {
    return bytes.length - at;
  }

  KvException unreadable(String what, int offset) {
    return new KvException(
        KvErrorCode.UNREADABLE_VALUE,
        "value of " + bytes.length + " bytes: " + what + " at offset " + offset);
  }

  private KvException truncated(int offset) {
    return unreadable("ends too early", offset);
  }

  /** Returns the next byte unchanged. */
  int octet() {
    if (at >= bytes.length) {
      throw truncated(at);
    }
    return bytes[at++] & 0xFF;
  }

  /**
   * Returns the next byte that is neither padding nor an object count, which old versions of V8
   * wrote.
   */
  int tag() {
    while (true) {
      int tag = octet();
      if (tag == V8Tag.VERIFY_OBJECT_COUNT) {
        varint();
      } else if (tag != V8Tag.PADDING) {
        return tag;
      }
    }
  }

  /** Consumes the next tag if it is the given one; otherwise consumes nothing. */
  boolean tookTag(int tag) {
    int start = at;
    while (at < bytes.length) {
      int next = bytes[at++] & 0xFF;
      if (next == tag) {
        return true;
      }
      if (next != V8Tag.PADDING) {
        break;
      }
    }
    at = start;
    return false;
  }

  /** Reads an unsigned number below 2^63, base 128, low group first. */
  long varint() {
    int start = at;
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = octet();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw unreadable("varint of more than 63 bits", start);
  }

  long uint32(String what) {
    int start = at;
    long value = varint();
    if (value > 0xFFFF_FFFFL) {
      throw unreadable(what + " of more than 32 bits", start);
    }
    return value;
  }

  /** Reads a count of elements that take at least one byte each. */
  int length(String what) {
    int start = at;
    long value = varint();
    if (value > remaining()) {
      throw unreadable(what + " of " + value + " with " + remaining() + " bytes left", start);
    }
    return (int) value;
  }

  int int32() {
    long zigzag = uint32("int32");
    return (int) (zigzag >>> 1) ^ -(int) (zigzag & 1);
  }

  double float64() {
    if (remaining() < 8) {
      throw truncated(at);
    }
    double value = Double.longBitsToDouble(LittleEndian.get(bytes, at));
    at += 8;
    return value;
  }

  BigInteger bigInt() {
    int start = at;
    long bitfield = varint();
    long length = bitfield >>> 1;
    if (length > remaining()) {
      throw unreadable("bigint of " + length + " bytes with " + remaining() + " left", start);
    }
    int n = (int) length;
    byte[] magnitude = new byte[n];
    for (int i = 0; i < n; i++) {
      magnitude[n - 1 - i] = bytes[at++];
    }
    BigInteger value = new BigInteger(1, magnitude);
    return (bitfield & 1) == 0 ? value : value.negate();
  }

  byte[] raw(int length) {
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return copy;
  }

  String oneByteString() {
    int length = length("string");
    String value = new String(bytes, at, length, StandardCharsets.ISO_8859_1);
    at += length;
    return value;
  }

  String twoByteString() {
    int start = at;
    int length = length("string");
    if ((length & 1) != 0) {
      throw unreadable("two-byte string of " + length + " bytes", start);
    }
    char[] units = new char[length >> 1]; // a charset would replace unpaired surrogates
    for (int i = 0; i < units.length; i++, at += 2) {
      units[i] = (char) (bytes[at] & 0xFF | bytes[at + 1] << 8);
    }
    return new String(units);
  }

  String utf8String() {
    int start = at;
    int length = length("string");
    try {
      String value =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, length)).toString();
      at += length;
      return value;
    } catch (CharacterCodingException e) {
      throw unreadable("string that is not UTF-8", start);
    }
  }
}
