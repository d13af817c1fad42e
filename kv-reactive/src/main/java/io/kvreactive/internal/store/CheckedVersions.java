package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The versions that commits check, and for some keys what the image has: many commits check the
 * same key, which seldom changes, as every write of a document does with the record of its
 * collection, and each look would copy a leaf of the image. (Measured: with the look for a free id,
 * which is new each time, that was a fifth of what a create took of the store's thread.) For the
 * thread that stages.
 *
 * <p>What the image has of a key that no memtable has stays so until a memtable is frozen or has
 * been written.
 */
final class CheckedVersions {
  private static final int KEYS = 64; // a power of two

  private final byte[] @Nullable [] keys = new byte[KEYS][];
  private final @Nullable ImageRecord[] records = new ImageRecord[KEYS];

  /** To be called when a memtable has been frozen or written. */
  void forget() {
    Arrays.fill(keys, null);
    Arrays.fill(records, null);
  }

  /** Returns a key's version; 0 when absent. */
  long of(byte[] key, StoreView state) {
    return state.versionOf(key, missed -> inImage(missed, state));
  }

  private @Nullable ImageRecord inImage(byte[] key, StoreView state) {
    int slot = Arrays.hashCode(key) & KEYS - 1;
    if (!Arrays.equals(keys[slot], key)) {
      records[slot] = state.image().find(key);
      keys[slot] = key;
    }
    return records[slot];
  }
}
