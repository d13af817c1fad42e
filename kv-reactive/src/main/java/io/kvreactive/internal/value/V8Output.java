package io.kvreactive.internal.value;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.math.BigInteger;
import java.util.Arrays;

/** A growing byte buffer with the primitives of V8's format. Starts with the header. */
final class V8Output {
  private static final int MAX_SIZE = Integer.MAX_VALUE - 64;

  private byte[] bytes = new byte[64];
  private int size;

  V8Output() {
    bytes[0] = (byte) V8Tag.VERSION;
    bytes[1] = V8Tag.WRITE_VERSION;
    size = 2;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  void tag(int tag) {
    room(1);
    bytes[size++] = (byte) tag;
  }

  /** Writes an unsigned number, base 128, low group first. */
  void varint(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  void int32(int value) {
    tag(V8Tag.INT32);
    varint((value << 1 ^ value >> 31) & 0xFFFF_FFFFL);
  }

  /** Writes the tag and the eight bytes of a number. */
  void number(double value) {
    tag(V8Tag.DOUBLE);
    float64(value);
  }

  void float64(double value) {
    int64(Double.doubleToRawLongBits(value));
  }

  private void int64(long bits) {
    room(8);
    LittleEndian.put(bytes, size, bits);
    size += 8;
  }

  /** Writes the payload of a bigint, without its tag. */
  void bigInt(long value) {
    if (value == 0) {
      varint(0);
    } else {
      varint(value < 0 ? 0x11 : 0x10);
      int64(Math.abs(value)); // Long.MIN_VALUE is unchanged, which is correct as unsigned
    }
  }

  /** Writes the payload of a bigint, without its tag. */
  void bigInt(BigInteger value) {
    if (value.bitLength() < 64) {
      bigInt(value.longValue());
      return;
    }
    byte[] magnitude = value.abs().toByteArray();
    int skip = magnitude[0] == 0 ? 1 : 0;
    int length = magnitude.length - skip;
    int padded = (length + 7) & ~7;
    varint((long) padded << 1 | (value.signum() < 0 ? 1 : 0));
    room(padded);
    for (int i = magnitude.length - 1; i >= skip; i--) {
      bytes[size++] = magnitude[i];
    }
    for (int i = length; i < padded; i++) {
      bytes[size++] = 0;
    }
  }

  void raw(byte[] source) {
    room(source.length);
    System.arraycopy(source, 0, bytes, size, source.length);
    size += source.length;
  }

  /** Writes a string with one byte per character if all fit Latin-1, as V8 does, else with two. */
  void string(String value) {
    int length = value.length();
    room((long) length + 11);
    int start = size;
    bytes[size++] = V8Tag.ONE_BYTE_STRING;
    varint(length);
    int at = size;
    int seen = 0;
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      seen |= c;
      bytes[at + i] = (byte) c;
    }
    if (seen <= 0xFF) {
      size = at + length;
    } else {
      size = start;
      twoByteString(value);
    }
  }

  private void twoByteString(String value) {
    long byteLength = 2L * value.length();
    room(byteLength + 12);
    // V8 reads the code units in place: they must start at an even offset from the start of the
    // value.
    int lengthSize = (70 - Long.numberOfLeadingZeros(byteLength | 1)) / 7;
    if ((size + 1 + lengthSize & 1) != 0) {
      bytes[size++] = V8Tag.PADDING;
    }
    bytes[size++] = V8Tag.TWO_BYTE_STRING;
    varint(byteLength);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      bytes[size++] = (byte) c;
      bytes[size++] = (byte) (c >> 8);
    }
  }

  private void room(long more) {
    if (bytes.length - size < more) {
      grow(size + more);
    }
  }

  private void grow(long needed) {
    if (needed > MAX_SIZE) {
      throw new KvException(KvErrorCode.INVALID_VALUE, "value: encodes to more than 2 GiB");
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_SIZE, Math.max(needed, 2L * bytes.length)));
  }
}
