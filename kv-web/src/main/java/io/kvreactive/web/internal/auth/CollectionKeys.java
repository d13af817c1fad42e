package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.index.KvIndexOptions;
import java.util.Arrays;

/**
 * The keys that collections keep items and indexes below. Written by hand, the two would no longer
 * agree, so that only those may who could drop the collections as well.
 */
public final class CollectionKeys {
  /** The first part of all of them. */
  public static final KvKey ROOT = KvKey.of(KvIndexOptions.DEFAULT.root());

  private static final byte[] START = ROOT.bytes();
  private static final byte[] END = KvRange.prefix(ROOT).endBytes();

  private CollectionKeys() {}

  /** Whether this is the root of collections, or a key below it. */
  public static boolean holds(byte[] key) {
    return overlaps(key, Arrays.copyOf(key, key.length + 1));
  }

  private static boolean overlaps(byte[] start, byte[] end) {
    return Arrays.compareUnsigned(start, end) < 0
        && Arrays.compareUnsigned(start, END) < 0
        && Arrays.compareUnsigned(end, START) > 0;
  }

  /**
   * Passes when a key may be written as it is.
   *
   * @throws KvException FORBIDDEN
   */
  public static void requireWritable(Grant grant, byte[] key) {
    requireWritable(grant, key, Arrays.copyOf(key, key.length + 1));
  }

  /** Like the other, for all keys from {@code start} to {@code end}. */
  public static void requireWritable(Grant grant, byte[] start, byte[] end) {
    if (!grant.access().contains(Access.ADMIN) && overlaps(start, end)) {
      throw new KvException(
          KvErrorCode.FORBIDDEN,
          "keys below "
              + ROOT
              + " are those of collections: only a token with ADMIN access writes"
              + " them as keys (expected: items, by way of their collection)");
    }
  }
}
