package io.kvreactive.bench.vector;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * Random vectors, equal for equal seeds, and the exact nearest neighbors of a vector.
 *
 * @param stored the vectors to be indexed
 * @param queries the vectors to search for
 */
record Vectors(List<float[]> stored, List<float[]> queries) {
  private static final int CENTRES = 200;
  private static final float SPREAD = 0.2f;

  /**
   * Creates vectors.
   *
   * @param isClustered true for vectors around 200 centres, false for a uniform distribution over a
   *     cube
   */
  static Vectors random(long seed, int count, int queries, int dimensions, boolean isClustered) {
    Random random = new Random(seed);
    float[][] centres = new float[CENTRES][];
    for (int i = 0; i < CENTRES; i++) {
      centres[i] = uniform(random, dimensions);
    }
    List<float[]> all =
        java.util.stream.IntStream.range(0, count + queries)
            .mapToObj(
                i ->
                    isClustered
                        ? near(random, centres[random.nextInt(CENTRES)])
                        : uniform(random, dimensions))
            .toList();
    return new Vectors(all.subList(0, count), all.subList(count, count + queries));
  }

  private static float[] uniform(Random random, int dimensions) {
    float[] vector = new float[dimensions];
    for (int i = 0; i < dimensions; i++) {
      vector[i] = random.nextFloat() * 2 - 1;
    }
    return vector;
  }

  private static float[] near(Random random, float[] centre) {
    float[] vector = centre.clone();
    for (int i = 0; i < vector.length; i++) {
      vector[i] += (float) random.nextGaussian() * SPREAD;
    }
    return vector;
  }

  private record Near(int number, double square) {}

  /**
   * Returns the numbers of the nearest vectors by Euclidean distance.
   *
   * @param every the interval of the vectors that are considered: 1 for all, 2 for every other
   */
  Set<Integer> closest(float[] to, int top, int every) {
    PriorityQueue<Near> heap =
        new PriorityQueue<>(Comparator.comparingDouble(Near::square).reversed());
    for (int i = 0; i < stored.size(); i += every) {
      float[] vector = stored.get(i);
      double square = 0;
      for (int j = 0; j < vector.length; j++) {
        double difference = vector[j] - to[j];
        square += difference * difference;
      }
      if (heap.size() < top || square < heap.element().square()) {
        heap.add(new Near(i, square));
        if (heap.size() > top) {
          heap.remove();
        }
      }
    }
    Set<Integer> found = new HashSet<>();
    heap.forEach(near -> found.add(near.number()));
    return found;
  }
}
