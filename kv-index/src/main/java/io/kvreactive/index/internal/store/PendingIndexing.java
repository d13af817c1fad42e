package io.kvreactive.index.internal.store;

import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.StoredEntry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * That the indexes lag behind an item, which may be gone. As long as this is stored, they have the
 * entries of its former self and of nothing that it has been since; else they have its own.
 *
 * @param indexed the item as the indexes know it; null when they have nothing of it
 * @param versionstamp of the key
 */
public record PendingIndexing(@Nullable StoredItem indexed, Versionstamp versionstamp) {
  /**
   * As it is stored.
   *
   * @param indexed null, or one without entries: nothing
   */
  public static KvValue encode(@Nullable StoredItem indexed) {
    byte[] bytes = indexed == null || !indexed.indexed() ? new byte[0] : indexed.encoded();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /**
   * @param entry with its value
   * @throws KvException CORRUPT
   */
  public static PendingIndexing decode(StoredEntry entry) {
    byte[] bytes = Objects.requireNonNull(entry.value()).bytes();
    return new PendingIndexing(
        bytes.length == 0 ? null : StoredItem.decode(bytes, entry.versionstamp()),
        entry.versionstamp());
  }
}
