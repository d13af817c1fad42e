package io.kvreactive.documents;

/**
 * The type of the vectors at a path.
 *
 * @param path the path, such as {@code /vector}
 * @param dataType the type of the elements: {@code float32}, {@code float16}, {@code int8} or
 *     {@code uint8}
 * @param dimensions the number of elements in a vector
 * @param distanceFunction the metric: {@code cosine}, {@code dotproduct} or {@code euclidean}
 */
public record VectorEmbedding(
    String path, String dataType, int dimensions, String distanceFunction) {}
