package io.kvreactive.index.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link NeighborIndex} is to be.
 *
 * @param type the type of a vector index, such as {@code diskANN}
 * @param dimensions the number of elements of each vector
 * @param distanceFunction {@code cosine}, {@code dotproduct} or {@code euclidean}
 * @param codeBytes the size of a compressed vector, or null for the default of the type
 * @param searchListSize the number of candidates while a graph is built, or null for the default
 */
public record NeighborSpec(
    String type,
    int dimensions,
    String distanceFunction,
    @Nullable Integer codeBytes,
    @Nullable Integer searchListSize) {}
