package io.kvreactive.vector;

import static io.kvreactive.vector.RandomVectors.square;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Checks the bounds of binary codes against exact distances. */
class BinaryCodesPropertyTest {
  private static final int COUNT = 300;

  /** Distributions of vectors. */
  enum Kind {
    UNIFORM(85),
    CLUSTERED(75),
    FAR_FROM_THE_CENTROID(85),
    ONE_ELEMENT(75);

    /**
     * The smallest part of the bounds that may hold. About 90 % hold; vectors with few different
     * directions are few independent samples, of which 83 to 95 % hold.
     */
    final int heldPercent;

    Kind(int heldPercent) {
      this.heldPercent = heldPercent;
    }
  }

  private static List<float[]> vectors(Kind kind, int dimensions, Random random) {
    RandomVectors vectors =
        kind == Kind.CLUSTERED
            ? RandomVectors.clustered(random.nextLong(), dimensions)
            : RandomVectors.uniform(random.nextLong(), dimensions);
    List<float[]> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      float[] vector = vectors.next();
      for (int j = 0; j < dimensions; j++) {
        vector[j] += kind == Kind.FAR_FROM_THE_CENTROID ? 3 : 0;
        vector[j] *= kind == Kind.ONE_ELEMENT && j != i % dimensions ? 0 : 1;
      }
      all.add(vector);
    }
    return all;
  }

  @Property(tries = 60)
  void boundsDistances(
      @ForAll Kind kind, @ForAll @IntRange(min = 2, max = 400) int dimensions, @ForAll long seed) {
    List<float[]> vectors = vectors(kind, dimensions, new Random(seed));
    float[] centroid = new float[dimensions];
    VectorCodes codes = VectorCodes.around(centroid, new RandomRotation(dimensions));
    for (int i = 0; i < COUNT; i++) {
      codes.set(i, vectors.get(i));
    }
    int held = 0;
    int near = 0;
    for (int asked = 0; asked < 10; asked++) {
      float[] query = vectors.get(asked * 7);
      BinaryCodes.Bounds bounds = codes.bits().bounds(codes.rotated(query));
      for (int i = 0; i < COUNT; i++) {
        double exact = square(query, vectors.get(i));
        double lengths = Math.sqrt(square(query, centroid) * square(vectors.get(i), centroid));
        float bound = bounds.of(i);
        held += bound <= exact + 1e-4 * (1 + lengths) ? 1 : 0;
        near += exact - bound <= 10 * lengths / Math.sqrt(dimensions) ? 1 : 0;
      }
    }
    assertThat(held).isGreaterThan(COUNT * 10 * kind.heldPercent / 100);
    assertThat(near).isGreaterThan(COUNT * 10 * 98 / 100);
  }

  @Property(tries = 60)
  void rotationKeepsDistances(
      @ForAll @IntRange(min = 1, max = 400) int dimensions, @ForAll long seed) {
    RandomVectors vectors = RandomVectors.uniform(seed, dimensions);
    RandomRotation rotation = new RandomRotation(dimensions);
    float[] one = vectors.next();
    float[] other = vectors.next();
    double expected = square(one, other);
    assertThat(rotation.dimensions() % Long.SIZE).isZero();
    assertThat(square(rotation.rotate(one), rotation.rotate(other)))
        .isBetween(expected * 0.9999 - 1e-5, expected * 1.0001 + 1e-5);
  }

  @Property(tries = 20)
  void rotationSpreadsOneElement(
      @ForAll @IntRange(min = 64, max = 2000) int dimensions, @ForAll @IntRange(max = 63) int i) {
    float[] vector = new float[dimensions];
    vector[i] = 1;
    float[] rotated = new RandomRotation(dimensions).rotate(vector);
    for (float element : rotated) {
      assertThat(Math.abs(element)).isLessThan(0.75f);
    }
  }
}
