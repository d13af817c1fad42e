package io.kvreactive.vector;

import static io.kvreactive.vector.RandomVectors.square;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import io.kvreactive.testing.Tries;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.FloatRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Searches that rounded vectors guide through a graph find the closest vectors nevertheless. */
class GuidedSearchTest {
  private static final int DIMENSIONS = 256;
  private static final int NAMES = Tries.of(2500, 5000);
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

  private static float[] unit(float[] vector) {
    double length = Math.sqrt(square(vector, new float[vector.length]));
    float[] unit = new float[vector.length];
    for (int i = 0; i < unit.length; i++) {
      unit[i] = (float) (vector[i] / length);
    }
    return unit;
  }

  /** Returns the share of the ten closest vectors that searches find. */
  private static double recall(List<float[]> stored, List<float[]> queries) {
    NeighborSpec spec =
        new NeighborSpec("diskANN", stored.get(0).length, "euclidean", null, null, false);
    try (NeighborIndex index = new VectorExtension().newNeighborIndex(spec, stored)) {
      for (int i = 0; i < stored.size(); i++) {
        index.put(i + 1, 1, stored.get(i));
      }
      int found = 0;
      for (float[] query : queries) {
        double[] squares = stored.stream().mapToDouble(one -> square(query, one)).toArray();
        double tenth = DoubleStream.of(squares).sorted().skip(9).findFirst().orElseThrow();
        found +=
            (int)
                LongStream.of(index.search(query, 10, 10, NeighborIndex.ALL))
                    .filter(id -> squares[(int) id - 1] <= tenth * 1.00001)
                    .count();
      }
      return found / (10.0 * queries.size());
    }
  }

  /**
   * Names of characters are neither clustered nor uniform: many share most of their words, a few
   * share nothing with most others. A word of a name is far from all vectors.
   */
  @Test
  void findsNamesWithAWord() {
    List<float[]> stored = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Random random = new Random(5);
    for (int point = 0; stored.size() < NAMES; point += 1 + random.nextInt(5)) {
      String name = Character.getName(point);
      if (name != null && Character.isDefined(point)) {
        stored.add(unit(vector(name)));
        names.add(name);
      }
    }
    List<float[]> queries = new ArrayList<>();
    for (int i = 0; i < QUERIES; i++) {
      String[] words = names.get(random.nextInt(NAMES)).split("[ -]");
      queries.add(unit(vector(words[random.nextInt(words.length)])));
    }
    assertThat(recall(stored, queries)).isGreaterThan(0.97);
  }

  static List<Float> spreads() {
    return List.of(0.001f, 0.02f, 0f).subList(0, Tries.of(1, 3));
  }

  /** Rounded to 7 bits, the vectors of a dense cluster hardly differ. */
  @ParameterizedTest
  @MethodSource("spreads")
  void findsVectorsOfDenseClusters(float spread) {
    RandomVectors vectors = RandomVectors.clustered(11, 72, 120, spread);
    List<float[]> stored = Stream.generate(vectors::next).limit(12_000).toList();
    List<float[]> queries = Stream.generate(vectors::next).limit(QUERIES).toList();
    assertThat(recall(stored, queries)).isGreaterThan(0.97);
  }

  /** The errors of approximate distances are small, compared with the distances. */
  @Property(tries = 100)
  void approximatesDistances(
      @ForAll @IntRange(min = 64, max = 1600) int dimensions,
      @ForAll @FloatRange(min = 0, max = 1) float spread,
      @ForAll @IntRange(min = -30, max = 15) int exponent,
      @ForAll long seed) {
    RandomVectors vectors = RandomVectors.clustered(seed, dimensions, 20, spread);
    double scale = Math.pow(10, exponent);
    List<float[]> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      float[] vector = vectors.next();
      for (int j = 0; j < dimensions; j++) {
        vector[j] = (float) (vector[j] * scale);
      }
      all.add(vector);
    }
    VectorCodes codes = VectorCodes.around(new float[dimensions], new RandomRotation(dimensions));
    RoundedVectors rounded = Objects.requireNonNull(codes.rounded());
    for (int i = 0; i < all.size(); i++) {
      codes.set(i, all.get(i));
    }
    int[] ordinals = new Random(seed).ints(101, 0, all.size()).toArray();
    float[] scores = new float[ordinals.length + GroupScores.GROUP - 1];
    float[] query = all.get(7);
    GroupScores approximate = rounded.scores(codes.rotated(query));
    approximate.similarities(ordinals, ordinals.length, scores);
    for (int i = 0; i < ordinals.length; i++) {
      float[] vector = all.get(ordinals[i]);
      double exact = square(query, vector);
      // a step of an element, of which the largest of a rotated vector is seldom 5 times the mean
      double step = scale * 5 / 63;
      double error = 4 * step * (Math.sqrt(exact) + step);
      assertThat(approximate.similarityTo(ordinals[i])).isEqualTo(scores[i]);
      assertThat((double) scores[i])
          .isBetween(
              1 / (1 + exact + error) * 0.9999 - 1e-6, 1 / (1 + Math.max(0, exact - error)) + 1e-6);
    }
  }
}
