package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.similarity.ScoreFunction.ApproximateScoreFunction;
import java.util.Arrays;

/**
 * Vectors whose elements are rounded to 7 bits. A search of a graph reads vectors at random, so
 * that most of its time is that of accesses to memory; rounded vectors take a quarter of it. They
 * are derived from the vectors and not saved.
 *
 * <p>Vectors are relative to the centroid and rotated at random, so that no element is much larger
 * than others. An element is a level from 0 to 126, of which 63 is zero; the largest element of a
 * vector has the level 0 or 126.
 *
 * <p>One thread writes. Any thread may read the vectors of ordinals published to it after they were
 * written.
 */
final class RoundedVectors {
  /** Minimum number of dimensions for which rounded vectors take much less memory. */
  static final int MIN_DIMENSIONS = Long.SIZE;

  private static final int ZERO = 63;

  /** Selects every second level of a word, as fields of 16 bits. */
  private static final long EVEN = 0x00ff00ff00ff00ffL;

  private static final int FIELD = Short.SIZE;
  private static final int LAST_FIELD = Long.SIZE - FIELD;

  /** Number of words before the levels of a vector. */
  private static final int TERMS = 2;

  /** Maximum number of words in an array, unless it holds one vector. */
  private static final int WORDS = 1 << 14;

  /** Number of words in a line of the processor's cache. */
  private static final int LINE = 8;

  private final int dimensions;
  private final int words; // with the levels of a vector
  private final int shift; // an array has 1 << shift vectors
  private volatile long[][] arrays = {};

  /**
   * Creates an empty set of vectors.
   *
   * @param dimensions the number of rotated elements, a multiple of 64
   */
  RoundedVectors(int dimensions) {
    this.dimensions = dimensions;
    this.words = dimensions / Long.BYTES;
    int vectors = Math.max(1, WORDS / (words + TERMS));
    this.shift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(vectors);
  }

  long memoryBytes() {
    return ((long) arrays.length << shift) * (words + TERMS) * Long.BYTES;
  }

  /** Returns the position of an ordinal's terms in its array, which its levels follow. */
  private int position(int ordinal) {
    return (ordinal & (1 << shift) - 1) * (words + TERMS);
  }

  /** Sets the vector of an ordinal. */
  void set(int ordinal, float[] rotated) {
    long[] array = array(ordinal);
    int at = position(ordinal);
    Rounded rounded = new Rounded(rotated);
    array[at] = (long) Float.floatToRawIntBits(rounded.square) << Integer.SIZE | rounded.sum;
    array[at + 1] = Float.floatToRawIntBits(rounded.scale);
    for (int word = 0; word < words; word++) {
      long packed = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        packed |= (long) rounded.levels[word * Long.BYTES + i] << i * Byte.SIZE;
      }
      array[at + TERMS + word] = packed;
    }
  }

  private long[] array(int ordinal) {
    int number = ordinal >> shift;
    int before = arrays.length;
    if (number >= before) {
      long[][] more = Arrays.copyOf(arrays, number + 1);
      for (int i = before; i <= number; i++) {
        more[i] = new long[(words + TERMS) << shift];
      }
      arrays = more;
    }
    return arrays[number];
  }

  /** A vector as levels. */
  private static final class Rounded {
    final byte[] levels;
    final float scale; // of a step
    final int sum; // of the levels
    final float square; // of the rounded elements, less that of the errors, which distances add

    Rounded(float[] elements) {
      float largest = 0;
      for (float element : elements) {
        largest = Math.max(largest, Math.abs(element));
      }
      scale = Math.max(largest / ZERO, Float.MIN_NORMAL);
      levels = new byte[elements.length];
      int levelSum = 0;
      double squares = 0;
      for (int i = 0; i < elements.length; i++) {
        int step = (int) (elements[i] / scale + ZERO + 0.5f) - ZERO; // never negative before
        double rounded = (double) step * scale;
        double error = rounded - elements[i];
        squares += rounded * rounded - error * error;
        levels[i] = (byte) (step + ZERO);
        levelSum += step + ZERO;
      }
      sum = levelSum;
      square = (float) squares;
    }
  }

  /** Returns approximate scores for a rotated query vector. Not thread-safe. */
  Scores scores(float[] rotated) {
    return new Scores(new Rounded(rotated));
  }

  /**
   * Scores for a query vector. An ordinal that was added after the vectors of all ordinals were
   * computed again has the score of the centroid.
   */
  final class Scores implements GroupScores, ApproximateScoreFunction {
    private final long[] factors; // for the even and the odd levels of each word
    private final int offset; // of the product of levels, for the sum of the query's levels
    private final double scale;
    private final double square;

    /** The result of reading ahead, without which the compiler would omit the reads. */
    private long unused;

    private Scores(Rounded query) {
      factors = new long[2 * words];
      for (int i = 0; i < dimensions; i++) {
        int inWord = i % Long.BYTES;
        // in reverse order, so that the last field of a product has the products of equal elements
        int field = LAST_FIELD - inWord / 2 * FIELD;
        factors[i / Long.BYTES * 2 + inWord % 2] |= (long) query.levels[i] << field;
      }
      offset = ZERO * (query.sum - ZERO * dimensions);
      scale = query.scale;
      square = query.square;
    }

    @Override
    public float similarityTo(int ordinal) {
      long[][] all = arrays;
      int number = ordinal >> shift;
      if (number >= all.length) {
        return score(square);
      }
      long[] array = all[number];
      int at = position(ordinal);
      int steps = product(array, at + TERMS) - ZERO * (int) array[at] - offset;
      double product = scale * Float.intBitsToFloat((int) array[at + 1]) * steps;
      return score(square + Float.intBitsToFloat((int) (array[at] >>> Integer.SIZE)) - 2 * product);
    }

    /** Returns the score for the square of a distance; the lowest one if it is not a number. */
    private static float score(double squareOfDistance) {
      float distance = (float) Math.max(0, squareOfDistance);
      return Float.isNaN(distance) ? 0 : WholeVectors.score(distance);
    }

    /**
     * Returns the sum of the products of levels. The last field of the product of two words is the
     * sum of four products: at most 4 * 126 * 126, which is less than 2^16, so that no field
     * overflows into the next one.
     */
    private int product(long[] array, int from) {
      long even = 0;
      long odd = 0;
      for (int i = 0; i < words; i++) {
        long levels = array[from + i];
        even += (levels & EVEN) * factors[2 * i] >>> LAST_FIELD;
        odd += (levels >>> Byte.SIZE & EVEN) * factors[2 * i + 1] >>> LAST_FIELD;
      }
      return (int) (even + odd);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Reads a part of each line of a group of vectors first. These accesses to memory overlap;
     * the products find the vectors in the cache.
     */
    @Override
    public void similarities(int[] ordinals, int count, float[] scores) {
      int last = count - 1;
      for (int i = 0; i < count; i += GROUP) {
        readAhead(
            ordinals[i],
            ordinals[Math.min(i + 1, last)],
            ordinals[Math.min(i + 2, last)],
            ordinals[Math.min(i + 3, last)]);
        for (int j = i; j < Math.min(i + GROUP, count); j++) {
          scores[j] = similarityTo(ordinals[j]);
        }
      }
    }

    private void readAhead(int ordinal0, int ordinal1, int ordinal2, int ordinal3) {
      long[][] all = arrays;
      int largest = Math.max(Math.max(ordinal0, ordinal1), Math.max(ordinal2, ordinal3));
      if (largest >> shift >= all.length) {
        return;
      }
      long[] array0 = all[ordinal0 >> shift];
      long[] array1 = all[ordinal1 >> shift];
      long[] array2 = all[ordinal2 >> shift];
      long[] array3 = all[ordinal3 >> shift];
      int from0 = position(ordinal0);
      int from1 = position(ordinal1);
      int from2 = position(ordinal2);
      int from3 = position(ordinal3);
      long read = 0;
      for (int i = 0; i < words; i += LINE) {
        read ^= array0[from0 + i] ^ array1[from1 + i] ^ array2[from2 + i] ^ array3[from3 + i];
      }
      unused = read;
    }
  }
}
