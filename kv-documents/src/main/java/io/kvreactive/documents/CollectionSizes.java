package io.kvreactive.documents;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The storage used by a collection, counted at one version. Bytes are those of keys and values
 * before the store compresses them.
 *
 * @param items the number of items, including expired items that are not removed yet
 * @param dataBytes the bytes of items and their ids
 * @param indexBytes the bytes of all indexes together; may exceed {@code dataBytes}
 * @param reclaimableBytes the bytes still held by indexes that are being removed
 * @param indexes the size of each index; {@code pending} is the backlog of a lazy collection, with
 *     one entry per item. Only the {@value #MAX_PATHS} largest paths are listed; {@code range:*} is
 *     the sum of all others
 * @param furtherPaths the number of paths summed up in {@code range:*}; 0 without it
 */
public record CollectionSizes(
    long items,
    long dataBytes,
    long indexBytes,
    long reclaimableBytes,
    List<IndexSize> indexes,
    long furtherPaths) {

  /**
   * The maximum number of paths listed separately: items with free member names may have millions
   * of paths.
   */
  public static final int MAX_PATHS = 1000;

  public CollectionSizes {
    indexes = List.copyOf(indexes);
  }

  /**
   * The size of one index.
   *
   * @param index the name of the index, such as {@code range:/name/?}, {@code composite#3}, {@code
   *     tuple#4} or {@code vector#5}; {@code vectors} for the saved structures of all approximate
   *     vector indexes, {@code unique}, {@code ttl} or {@code pending}
   * @param memoryBytes the heap in bytes of a quantizedFlat or diskANN vector index; 0 for other
   *     indexes and while there is no structure in memory
   * @param vectorsInMemory the number of vectors in the structure of such an index, of {@code
   *     entries}; 0 for other indexes
   * @param ready true if queries use the structure of such an index; false while they read all of
   *     its vectors; null for other indexes
   * @param definition the definition of a numbered index; null for other indexes
   */
  public record IndexSize(
      String index,
      long entries,
      long bytes,
      long memoryBytes,
      long vectorsInMemory,
      @Nullable Boolean ready,
      @Nullable String definition) {
    /** Creates the size of an index without a structure in memory. */
    public IndexSize(String index, long entries, long bytes, @Nullable String definition) {
      this(index, entries, bytes, 0, 0, null, definition);
    }
  }
}
