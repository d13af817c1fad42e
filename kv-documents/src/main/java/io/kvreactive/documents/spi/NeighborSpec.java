package io.kvreactive.documents.spi;

import org.jspecify.annotations.Nullable;

/**
 * The configuration of a {@link NeighborIndex}.
 *
 * @param type the type of the vector index, such as {@code diskANN}
 * @param dimensions the number of elements of each vector
 * @param distanceFunction the metric: {@code cosine}, {@code dotproduct} or {@code euclidean}
 * @param codeBytes the size of a compressed vector; null for the type's default, which may be no
 *     compression
 * @param searchListSize the number of candidates while a graph is built, or null for the default
 * @param isSharded true if every vector belongs to a shard, of which large ones have structures of
 *     their own
 */
public record NeighborSpec(
    String type,
    int dimensions,
    String distanceFunction,
    @Nullable Integer codeBytes,
    @Nullable Integer searchListSize,
    boolean isSharded) {
  private static final int MAX_CODE_BYTES = 512;
  private static final int ELEMENTS_PER_BYTE = 2;

  /** Returns the default size of compressed vectors in bytes. */
  public static int defaultCodeBytes(int dimensions) {
    return Math.max(1, Math.min(MAX_CODE_BYTES, dimensions / ELEMENTS_PER_BYTE));
  }

  /** Returns this configuration with compressed vectors. */
  public NeighborSpec compressed() {
    return new NeighborSpec(
        type,
        dimensions,
        distanceFunction,
        defaultCodeBytes(dimensions),
        searchListSize,
        isSharded);
  }
}
