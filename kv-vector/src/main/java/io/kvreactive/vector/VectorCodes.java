package io.kvreactive.vector;

import org.jspecify.annotations.Nullable;

/**
 * The forms of whole vectors that searches read first: with one bit for each dimension for scans,
 * and with eight for graphs. Both are of vectors relative to a centroid, rotated at random.
 *
 * @param rounded null if vectors have so few dimensions that whole ones take as long
 */
record VectorCodes(
    RandomRotation rotation, float[] centroid, BinaryCodes bits, @Nullable RoundedVectors rounded) {
  /**
   * Returns empty codes.
   *
   * @param centroid the centroid of the vectors; codes are more exact if it is near the vectors
   */
  static VectorCodes around(float[] centroid, RandomRotation rotation) {
    int dimensions = rotation.dimensions();
    return new VectorCodes(
        rotation,
        centroid,
        new BinaryCodes(dimensions),
        centroid.length < RoundedVectors.MIN_DIMENSIONS ? null : new RoundedVectors(dimensions));
  }

  /** Returns the square of the distance between a point and the centroid. */
  double squareFromCentroid(float[] point) {
    double square = 0;
    for (int i = 0; i < point.length; i++) {
      double difference = (double) point[i] - centroid[i];
      square += difference * difference;
    }
    return square;
  }

  /** Returns the form of a vector for which bounds and scores are computed. */
  float[] rotated(float[] vector) {
    float[] relative = new float[centroid.length];
    for (int i = 0; i < relative.length; i++) {
      relative[i] = vector[i] - centroid[i];
    }
    return rotation.rotate(relative);
  }

  /** Sets the codes of an ordinal. */
  void set(int ordinal, float[] vector) {
    float[] rotated = rotated(vector);
    bits.set(ordinal, rotated);
    if (rounded != null) {
      rounded.set(ordinal, rotated);
    }
  }

  long memoryBytes() {
    return bits.memoryBytes() + (rounded == null ? 0 : rounded.memoryBytes());
  }
}
