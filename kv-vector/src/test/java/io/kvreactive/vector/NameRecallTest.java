package io.kvreactive.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.index.spi.NeighborIndex;
import io.kvreactive.index.spi.NeighborSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Searches among the names of the characters of Unicode, which are neither clustered nor uniform:
 * many names share most of their words, a few share nothing with most others. Queries are words of
 * names, so that they are far from all vectors.
 */
class NameRecallTest {
  private static final int DIMENSIONS = 256;
  private static final int NAMES = 5000;
  private static final int QUERIES = 100;

  private static float[] vector(String name) {
    float[] vector = new float[DIMENSIONS];
    for (String word : name.split("[ -]")) {
      String padded = "^" + word + "$";
      for (int i = 0; i + 2 < padded.length(); i++) {
        int hash = padded.substring(i, i + 3).hashCode() * 0x9e3779b9;
        vector[hash >>> 24] += (hash & 0x800000) == 0 ? 1 : -1;
      }
    }
    return vector;
  }

  private static double cosine(float[] one, float[] other) {
    double product = 0;
    double squares = 0;
    double otherSquares = 0;
    for (int i = 0; i < DIMENSIONS; i++) {
      product += one[i] * other[i];
      squares += one[i] * one[i];
      otherSquares += other[i] * other[i];
    }
    return product / Math.sqrt(squares * otherSquares);
  }

  @Test
  void findsTheClosestNames() {
    List<float[]> stored = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Random random = new Random(5);
    for (int point = 0; stored.size() < NAMES; point += 1 + random.nextInt(5)) {
      String name = Character.getName(point);
      if (name != null && Character.isDefined(point)) {
        stored.add(vector(name));
        names.add(name);
      }
    }
    try (NeighborIndex index =
        new VectorExtension()
            .newNeighborIndex(
                new NeighborSpec("diskANN", DIMENSIONS, "cosine", null, null, false),
                stored.subList(0, 1000))) {
      for (int i = 0; i < NAMES; i++) {
        index.put(i + 1, 1, stored.get(i));
      }
      int missed = 0;
      for (int i = 0; i < QUERIES; i++) {
        String[] words = names.get(random.nextInt(NAMES)).split("[ -]");
        float[] query = vector(words[random.nextInt(words.length)]);
        List<Double> exact =
            stored.stream().map(v -> cosine(query, v)).sorted(Comparator.reverseOrder()).toList();
        double tenth = exact.get(9) - 1e-6;
        long found = 0;
        for (long id : index.search(query, 10, 10, NeighborIndex.ALL)) {
          found += cosine(query, stored.get((int) id - 1)) >= tenth ? 1 : 0;
        }
        missed += (int) (10 - found);
      }
      assertThat(missed).isLessThan(QUERIES * 10 / 50);
    }
  }
}
