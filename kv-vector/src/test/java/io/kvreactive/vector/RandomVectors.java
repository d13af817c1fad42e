package io.kvreactive.vector;

import java.util.Random;

/** Vectors around a few centres, so that some are much closer to each other than others. */
final class RandomVectors {
  private static final int CENTRES = 20;

  private final Random random;
  private final float[][] centres;

  RandomVectors(long seed, int dimensions) {
    random = new Random(seed);
    centres = new float[CENTRES][dimensions];
    for (float[] centre : centres) {
      for (int i = 0; i < dimensions; i++) {
        centre[i] = random.nextFloat() * 2 - 1;
      }
    }
  }

  float[] next() {
    float[] vector = centres[random.nextInt(CENTRES)].clone();
    for (int i = 0; i < vector.length; i++) {
      vector[i] += (float) random.nextGaussian() * 0.2f;
    }
    return vector;
  }
}
