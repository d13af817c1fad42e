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
 *     item
 */
public record CollectionSizes(
    long items, long dataBytes, long indexBytes, long reclaimableBytes, List<IndexSize> indexes) {
  public CollectionSizes {
    indexes = List.copyOf(indexes);
  }

  /**
   * @param index such as {@code range:/name/?}, {@code composite#3}, {@code id}
   */
  public record IndexSize(String index, long entries, long bytes) {}
}
