package io.kvreactive.index;

import java.util.List;

/**
 * What a collection takes, counted at one version. Bytes are those of keys and values before the
 * store packs them.
 *
 * @param items how many there are, those included that have expired and are not removed yet
 * @param dataBytes items and their ids
 * @param indexBytes all indexes together; may exceed the data
 * @param reclaimableBytes what indexes that are being removed still hold
 * @param indexes each of them; {@code pending} is what indexes lag behind, with an entry for each
 *     item. Of paths there are the {@value #MOST_PATHS} that take most, and {@code range:*} for all
 *     others together
 * @param furtherPaths how many paths {@code range:*} stands for; 0 without it
 */
public record CollectionSizes(
    long items,
    long dataBytes,
    long indexBytes,
    long reclaimableBytes,
    List<IndexSize> indexes,
    long furtherPaths) {

  /** Paths that are told one by one: items with free member names may have millions. */
  public static final int MOST_PATHS = 1000;

  public CollectionSizes {
    indexes = List.copyOf(indexes);
  }

  /**
   * @param index such as {@code range:/name/?}, {@code composite#3}, {@code tuple#4}, {@code
   *     vector#5}, {@code vectors} for what approximate vector indexes have saved together, {@code
   *     unique}, {@code ttl}, {@code pending}
   * @param memoryBytes heap that a quantizedFlat or diskANN vector index takes; 0 while it has no
   *     structure in memory, and for other indexes
   */
  public record IndexSize(String index, long entries, long bytes, long memoryBytes) {}
}
