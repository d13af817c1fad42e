package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.documents.DocumentStoreOptions;
import java.util.Arrays;

/**
 * The key ranges of collections with their items and indexes. Direct writes would let items and
 * index entries diverge; they require ADMIN access, as dropping the collection does.
 */
final class CollectionKeyspace {
  private static final KvKey ROOT = KvKey.of(DocumentStoreOptions.DEFAULT.root());
  private static final byte[] START = ROOT.bytes();
  private static final byte[] END = KvRange.prefix(ROOT).endBytes();
  private static final byte[] FIRST_BELOW = KvRange.prefix(ROOT).startBytes();

  private CollectionKeyspace() {}

  /** Returns the first key that a collection may have. */
  static byte[] start() {
    return FIRST_BELOW.clone();
  }

  /** Returns the end, exclusive, of the keys of collections. */
  static byte[] end() {
    return END.clone();
  }

  /** Returns true if a range contains a key of collections, or their root. */
  static boolean overlaps(byte[] start, byte[] end) {
    return Arrays.compareUnsigned(start, end) < 0
        && Arrays.compareUnsigned(start, END) < 0
        && Arrays.compareUnsigned(end, START) > 0;
  }

  static KvException forbidden() {
    return new KvException(
        KvErrorCode.FORBIDDEN,
        "keys below "
            + ROOT
            + " belong to collections: direct writes require ADMIN access"
            + " (expected: writes of items through their collection)");
  }
}
