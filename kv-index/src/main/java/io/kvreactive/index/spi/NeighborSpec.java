package io.kvreactive.index.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link NeighborIndex} is to be.
 *
 * @param type the type of a vector index, such as {@code diskANN}
 * @param dimensions the number of elements of each vector
 * @param distanceFunction {@code cosine}, {@code dotproduct} or {@code euclidean}
 * @param codeBytes the size of a compressed vector; null for the default, or for vectors that are
 *     not compressed, as the type is
 * @param searchListSize the number of candidates while a graph is built, or null for the default
 */
public record NeighborSpec(
    String type,
    int dimensions,
    String distanceFunction,
    @Nullable Integer codeBytes,
    @Nullable Integer searchListSize) {
  private static final int MAX_CODE_BYTES = 512;
  private static final int ELEMENTS_PER_BYTE = 2;

  /** Returns the size of compressed vectors, unless another one is asked for. */
  public static int defaultCodeBytes(int dimensions) {
    return Math.max(1, Math.min(MAX_CODE_BYTES, dimensions / ELEMENTS_PER_BYTE));
  }

  /** Returns the same with compressed vectors. */
  public NeighborSpec compressed() {
    return new NeighborSpec(
        type, dimensions, distanceFunction, defaultCodeBytes(dimensions), searchListSize);
  }
}
