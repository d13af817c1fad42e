package io.kvreactive.index;

/**
 * What the vectors at a path are.
 *
 * @param path such as {@code /vector}
 * @param dataType {@code float32}, {@code float16}, {@code int8} or {@code uint8}
 * @param dimensions numbers in a vector
 * @param distanceFunction {@code cosine}, {@code dotproduct} or {@code euclidean}
 */
public record VectorEmbedding(
    String path, String dataType, int dimensions, String distanceFunction) {}
