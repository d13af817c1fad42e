package io.kvreactive.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of the store's internal records, which sort after all keys of users: no encoded key
 * begins with their first byte. Their values are part of commits like all others. The second byte
 * is 'c' for ids of commits, and 'q' for queues: see {@link QueueKeys}.
 */
public final class SystemKeys {
  /** The first byte of internal keys. */
  public static final int PREFIX = 0xFF;

  private static final byte COMMIT_ID = 'c';

  private static final byte[] FIRST = {(byte) PREFIX};

  private SystemKeys() {}

  /** Returns true if a key is internal. */
  public static boolean isSystem(byte[] key) {
    return key.length > 0 && (key[0] & 0xFF) == PREFIX;
  }

  /** Returns the bound of a range of users' keys, clipped to exclude internal keys. */
  public static byte[] clamp(byte[] bound) {
    return isSystem(bound) ? FIRST : bound;
  }

  /** Returns an exclusive bound of all keys. */
  public static byte[] end() {
    return new byte[] {(byte) PREFIX, (byte) PREFIX};
  }

  /**
   * Returns the key of a commit id. Its record has the version of the commit with that id, which is
   * the answer to a repeated commit.
   */
  static byte[] commitId(String id) {
    byte[] encoded = id.getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[2 + encoded.length];
    key[0] = (byte) PREFIX;
    key[1] = COMMIT_ID;
    System.arraycopy(encoded, 0, key, 2, encoded.length);
    return key;
  }

  /** Returns true if a key is in a range. */
  static boolean within(byte[] key, byte[] start, byte[] end) {
    return Arrays.compareUnsigned(key, start) >= 0 && Arrays.compareUnsigned(key, end) < 0;
  }
}
