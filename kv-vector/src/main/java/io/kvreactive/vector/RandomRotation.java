package io.kvreactive.vector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A rotation of vectors that spreads the length of each over all elements, so that no element is
 * much larger than others. Distances are kept. The rotation consists of rounds of random signs,
 * fast Hadamard transforms and a random permutation, and takes O(n log n) time.
 *
 * <p>Rotations of the same number of dimensions are equal. Thread-safe.
 */
final class RandomRotation {
  private static final long SEED = 0x6b76;
  private static final int ROUNDS = 2;

  /** Unit of the rotated dimensions: the bits of a word. */
  private static final int UNIT = Long.SIZE;

  private final int dimensions; // rotated
  private final float[][] factors = new float[ROUNDS][]; // signs, with the scale of the transform
  private final int[] order; // of the elements after a round

  /**
   * Creates a rotation.
   *
   * @param dimensions the number of elements of vectors to rotate
   */
  RandomRotation(int dimensions) {
    this.dimensions = (dimensions + UNIT - 1) / UNIT * UNIT;
    Random random = new Random(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      factors[round] = new float[this.dimensions];
      for (int from = 0; from < this.dimensions; from += block(from)) {
        float scale = (float) (1 / Math.sqrt(block(from)));
        for (int i = from; i < from + block(from); i++) {
          factors[round][i] = random.nextBoolean() ? scale : -scale;
        }
      }
    }
    List<Integer> all = new ArrayList<>(IntStream.range(0, this.dimensions).boxed().toList());
    Collections.shuffle(all, random);
    this.order = all.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the number of elements of a rotated vector, a multiple of 64. */
  int dimensions() {
    return dimensions;
  }

  /** Returns the size of the transform that begins at an element: the largest power of 2. */
  private int block(int from) {
    return Integer.highestOneBit(dimensions - from);
  }

  /**
   * Rotates a vector.
   *
   * @param vector the elements; missing ones up to the rotated dimensions count as zeros
   * @return the rotated elements
   */
  float[] rotate(float[] vector) {
    float[] rotated = new float[dimensions];
    float[] before = new float[dimensions];
    System.arraycopy(vector, 0, rotated, 0, vector.length);
    for (int round = 0; round < ROUNDS; round++) {
      if (round > 0) {
        float[] swapped = before;
        before = rotated;
        rotated = swapped;
        for (int i = 0; i < dimensions; i++) {
          rotated[i] = before[order[i]];
        }
      }
      for (int i = 0; i < dimensions; i++) {
        rotated[i] *= factors[round][i];
      }
      for (int from = 0; from < dimensions; from += block(from)) {
        transform(rotated, from, block(from));
      }
    }
    return rotated;
  }

  /** Applies the fast Hadamard transform to elements whose number is a power of 2. */
  private static void transform(float[] elements, int from, int size) {
    for (int half = 1; half < size; half *= 2) {
      for (int start = from; start < from + size; start += 2 * half) {
        for (int i = start; i < start + half; i++) {
          float one = elements[i];
          float other = elements[i + half];
          elements[i] = one + other;
          elements[i + half] = one - other;
        }
      }
    }
  }
}
