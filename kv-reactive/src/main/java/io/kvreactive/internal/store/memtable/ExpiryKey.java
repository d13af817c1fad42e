package io.kvreactive.internal.store.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encodes entries of an expiry index: eight bytes of time, big-endian, then the key; so that
 * entries sort by time.
 */
public final class ExpiryKey {
  private ExpiryKey() {}

  /** Returns the entry of a key. */
  public static byte[] of(long expireAt, byte[] key) {
    return ByteBuffer.allocate(Long.BYTES + key.length).putLong(expireAt).put(key).array();
  }

  /** Returns the expiry of the key, in milliseconds since 1970. */
  public static long expireAt(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong();
  }

  /** Returns the key. */
  public static byte[] key(byte[] entry) {
    return Arrays.copyOfRange(entry, Long.BYTES, entry.length);
  }
}
