package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.internal.functions.CountingClassLoader;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Doubles the shapes of every function and rejects growth beyond linear of the work between two
 * checkpoints. Work is counted, not timed.
 */
class SpatialFunctionCostTest {
  private static final int POSITIONS = 128;

  /** Growth of the work for each position: linear is 1, n log n is 1.1, quadratic is 2. */
  private static final double MAX_GROWTH = 1.5;

  /** Growth that tells the square of the positions from more than that. */
  private static final double MAX_SLOW_GROWTH = 3;

  /** The libraries check each ring against each other; the number of rings is limited. */
  private static final String RINGS = "rings in rings";

  /** JTS compares edges whose bounding boxes overlap; the number of positions is limited. */
  private static final Set<String> SLOW_IN_PLANE = Set.of(RINGS, "star");

  /** Work that need not grow in proportion. */
  private static final long SLACK = 20_000;

  private static final BiFunction<String, Object[], Long> PROBE = probe();

  @SuppressWarnings("unchecked")
  private static BiFunction<String, Object[], Long> probe() {
    try {
      return (BiFunction<String, Object[], Long>)
          new CountingClassLoader()
              .loadClass(ShapeCostProbe.class.getName())
              .getDeclaredConstructor()
              .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static long work(GeospatialType on, String name, int positions, List<String> shapes) {
    List<Object> call = new ArrayList<>(List.of(on.name(), positions));
    call.addAll(shapes);
    return PROBE.apply(name, call.toArray());
  }

  private static void check(GeospatialType on, String name, List<String> shapes) {
    boolean isSlow =
        on == GeospatialType.GEOGRAPHY
            ? shapes.contains(RINGS)
            : shapes.stream().anyMatch(SLOW_IN_PLANE::contains);
    long once = work(on, name, POSITIONS, shapes);
    long twice = work(on, name, 2 * POSITIONS, shapes);
    assertThat(twice)
        .as("%s%s %s: work with half as many positions is %d", name, shapes, on, once)
        .isLessThanOrEqualTo((long) ((isSlow ? MAX_SLOW_GROWTH : MAX_GROWTH) * 2 * once) + SLACK);
  }

  @ParameterizedTest
  @EnumSource
  void growsLinearlyBetweenCheckpoints(GeospatialType on) {
    Set<String> shapes = ShapeCostProbe.SHAPES.keySet();
    var unused = work(on, "ST_DISTANCE", POSITIONS, List.of("star", "zigzag")); // loads classes
    for (ScalarFunction function : new SpatialExtension().functions()) {
      for (String first : shapes) {
        if (function.maxArguments() == 1) {
          check(on, function.name(), List.of(first));
          continue;
        }
        for (String second : shapes) {
          check(on, function.name(), List.of(first, second));
        }
      }
    }
  }

  @Test
  void rejectsOverlappingEdgesAlongTheAntimeridian() {
    assertThat(
            TestShapes.call(
                    GeospatialType.GEOGRAPHY,
                    "ST_ISVALIDDETAILED",
                    ShapeCostProbe.SHAPES.get("along the antimeridian").apply(4000))
                .path("reason")
                .asText())
        .isEqualTo("The edges along the antimeridian must not overlap.");
  }
}
