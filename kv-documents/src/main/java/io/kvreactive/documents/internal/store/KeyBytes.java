package io.kvreactive.documents.internal.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes parts of keys like {@code KvKey}, without intermediate objects. A text starts with {@code
 * 02}, bytes with {@code 01}. Both end with {@code 00}, and an inner {@code 00} is followed by
 * {@code FF}.
 */
final class KeyBytes {
  private static final byte BYTES = 1;
  private static final byte STRING = 2;
  private static final byte ESCAPE = (byte) 0xFF;
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private KeyBytes() {}

  /** Returns a key of texts. */
  static byte[] strings(String... parts) {
    byte[] key = {};
    for (String part : parts) {
      key = part(key, STRING, part.getBytes(StandardCharsets.UTF_8));
    }
    return key;
  }

  /** Returns a key with a text appended as a further part. */
  static byte[] part(byte[] key, String part) {
    return part(key, STRING, part.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a key with bytes appended as a further part. */
  static byte[] bytes(byte[] key, byte[] part) {
    return part(key, BYTES, part);
  }

  private static byte[] part(byte[] key, byte tag, byte[] part) {
    byte[] whole = open(key, tag, part, 1);
    whole[whole.length - 1] = 0;
    return whole;
  }

  /** Returns the start of the keys whose last part is not less than the given bytes. */
  static byte[] bound(byte[] key, byte[] part) {
    return open(key, BYTES, part, 0);
  }

  /** Returns the end of all keys that continue the given key with bytes. */
  static byte[] endOfBytes(byte[] key) {
    byte[] end = Arrays.copyOf(key, key.length + 1);
    end[key.length] = BYTES + 1;
    return end;
  }

  /** Returns the end of all keys that continue the given key. */
  static byte[] end(byte[] key) {
    byte[] end = Arrays.copyOf(key, key.length + 1);
    end[key.length] = ESCAPE;
    return end;
  }

  private static byte[] open(byte[] key, byte tag, byte[] part, int room) {
    int at = key.length + 1;
    int zeros = zeros(part, 0, part.length);
    byte[] whole = Arrays.copyOf(key, at + part.length + zeros + room);
    whole[key.length] = tag;
    if (zeros == 0) {
      System.arraycopy(part, 0, whole, at, part.length);
      return whole;
    }
    for (byte b : part) {
      whole[at++] = b;
      if (b == 0) {
        whole[at++] = ESCAPE;
      }
    }
    return whole;
  }

  /** Returns the bytes of a key's last part, which follows {@code prefix} bytes of other parts. */
  static byte[] lastBytes(byte[] key, int prefix) {
    int from = prefix + 1;
    int to = key.length - 1;
    int zeros = zeros(key, from, to);
    if (zeros == 0) {
      return Arrays.copyOfRange(key, from, to);
    }
    byte[] part = new byte[to - from - zeros];
    int at = 0;
    for (int i = from; i < to; i++) {
      part[at++] = key[i];
      i += key[i] == 0 ? 1 : 0;
    }
    return part;
  }

  /** Returns the number of bytes 00. Most keys have none, so that words are tested first. */
  private static int zeros(byte[] bytes, int from, int to) {
    int at = from;
    while (at <= to - Long.BYTES && !hasZero((long) WORD.get(bytes, at))) {
      at += Long.BYTES;
    }
    int zeros = 0;
    for (; at < to; at++) {
      zeros += bytes[at] == 0 ? 1 : 0;
    }
    return zeros;
  }

  private static boolean hasZero(long word) {
    return (word - 0x0101010101010101L & ~word & 0x8080808080808080L) != 0;
  }

  static void putLong(byte[] bytes, int at, long n) {
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[at + i] = (byte) (n >>> 8 * (7 - i));
    }
  }

  static long toLong(byte[] bytes, int at) {
    long n = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      n = n << 8 | bytes[at + i] & 0xFF;
    }
    return n;
  }
}
