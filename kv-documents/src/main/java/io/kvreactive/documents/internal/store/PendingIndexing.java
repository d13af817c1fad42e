package io.kvreactive.documents.internal.store;

import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.StoredEntry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The stored record that the indexes lag behind an item, which may have been removed. While this
 * record exists, the indexes have the entries of the item's indexed form only, and none of later
 * forms. Without this record, the indexes have the item's own entries.
 *
 * @param indexed the item as the indexes know it; null if they have no entries of it
 * @param versionstamp the versionstamp of the key
 */
public record PendingIndexing(@Nullable StoredItem indexed, Versionstamp versionstamp) {
  /**
   * Encodes a record.
   *
   * @param indexed the indexed form; null, or an item without entries, means no entries
   */
  public static KvValue encode(@Nullable StoredItem indexed) {
    byte[] bytes = indexed == null || !indexed.indexed() ? new byte[0] : indexed.encoded();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /**
   * Decodes a record.
   *
   * @param entry the stored entry with its value
   * @throws KvException CORRUPT
   */
  public static PendingIndexing decode(StoredEntry entry) {
    byte[] bytes = Objects.requireNonNull(entry.value()).bytes();
    return new PendingIndexing(
        bytes.length == 0 ? null : StoredItem.decode(bytes, entry.versionstamp()),
        entry.versionstamp());
  }
}
