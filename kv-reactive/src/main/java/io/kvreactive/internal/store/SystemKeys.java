package io.kvreactive.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Keys behind all that users can write, which the store uses for its own records: the first byte is
 * one that no encoded key begins with. What they hold is part of commits like everything else. The
 * second byte is 'c' for ids of commits, and 'q' for queues: see {@link QueueKeys}.
 */
public final class SystemKeys {
  /** The first byte of all of them. */
  public static final int PREFIX = 0xFF;

  private static final byte COMMIT_ID = 'c';

  private static final byte[] FIRST = {(byte) PREFIX};

  private SystemKeys() {}

  /** Returns true if a key is one of them. */
  public static boolean isSystem(byte[] key) {
    return key.length > 0 && (key[0] & 0xFF) == PREFIX;
  }

  /** Returns the bound of a range of users' keys, cut off before these. */
  public static byte[] clamp(byte[] bound) {
    return isSystem(bound) ? FIRST : bound;
  }

  /** Returns a bound behind all of them, and so behind everything that is stored. */
  public static byte[] end() {
    return new byte[] {(byte) PREFIX, (byte) PREFIX};
  }

  /** Holds the commit that carried an id: its version is the answer to whoever tries again. */
  static byte[] commitId(String id) {
    byte[] encoded = id.getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[2 + encoded.length];
    key[0] = (byte) PREFIX;
    key[1] = COMMIT_ID;
    System.arraycopy(encoded, 0, key, 2, encoded.length);
    return key;
  }

  /** Returns true if a key lies in a range. */
  static boolean within(byte[] key, byte[] start, byte[] end) {
    return Arrays.compareUnsigned(key, start) >= 0 && Arrays.compareUnsigned(key, end) < 0;
  }
}
