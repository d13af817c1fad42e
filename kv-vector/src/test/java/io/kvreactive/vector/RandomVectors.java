package io.kvreactive.vector;

import java.util.Random;

/** Random vectors, equal for equal seeds. */
final class RandomVectors {
  private static final int CENTRES = 20;

  private final Random random;
  private final int dimensions;
  private final float spread;
  private final float[][] centres; // none of uniform vectors

  private RandomVectors(long seed, int dimensions, int centres, float spread) {
    this.random = new Random(seed);
    this.dimensions = dimensions;
    this.spread = spread;
    this.centres = new float[centres][];
    for (int i = 0; i < centres; i++) {
      this.centres[i] = uniform();
    }
  }

  /** Vectors around a few centres, so that some are much closer to each other than others. */
  static RandomVectors clustered(long seed, int dimensions) {
    return clustered(seed, dimensions, CENTRES, 0.2f);
  }

  /** Clustered vectors with a standard deviation of each element from that of the centre. */
  static RandomVectors clustered(long seed, int dimensions, int centres, float spread) {
    return new RandomVectors(seed, dimensions, centres, spread);
  }

  /** Vectors with the same density everywhere in a cube. */
  static RandomVectors uniform(long seed, int dimensions) {
    return new RandomVectors(seed, dimensions, 0, 0);
  }

  /** Returns the square of the distance between two vectors. */
  static double square(float[] one, float[] other) {
    double square = 0;
    for (int i = 0; i < one.length; i++) {
      double difference = (double) one[i] - other[i];
      square += difference * difference;
    }
    return square;
  }

  private float[] uniform() {
    float[] vector = new float[dimensions];
    for (int i = 0; i < dimensions; i++) {
      vector[i] = random.nextFloat() * 2 - 1;
    }
    return vector;
  }

  float[] next() {
    if (centres.length == 0) {
      return uniform();
    }
    float[] vector = centres[random.nextInt(centres.length)].clone();
    for (int i = 0; i < dimensions; i++) {
      vector[i] += (float) random.nextGaussian() * spread;
    }
    return vector;
  }
}
