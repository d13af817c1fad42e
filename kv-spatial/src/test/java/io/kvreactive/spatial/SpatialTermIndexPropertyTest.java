package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.CallCondition.Comparison;
import io.kvreactive.documents.spi.TermIndex;
import io.kvreactive.documents.spi.TermRange;
import io.kvreactive.testing.ShortTries;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Checks that every matching value has a term in the ranges of the condition. */
class SpatialTermIndexPropertyTest {
  private static final List<String> TYPES =
      List.of("Point", "Polygon", "MultiPolygon", "LineString");

  private static final TermIndex GLOBE =
      SpatialTermIndex.of(new SpatialIndex("/a/?", TYPES, null), GeospatialType.GEOGRAPHY);

  private static final TermIndex PLANE =
      SpatialTermIndex.of(
          new SpatialIndex("/a/?", TYPES, new BoundingBox(-50, -20, 50, 80)),
          GeospatialType.GEOMETRY);

  @Property(tries = 1000)
  @ShortTries(200)
  void findsAllMatchesOnTheGlobe(@ForAll long seed) {
    Random random = new Random(seed);
    double[] place = TestShapes.place(random);
    double size = TestShapes.size(random);
    TestShapes.Frame frame = TestShapes.globe(place[0], place[1]);
    JsonNode value = TestShapes.random(random, frame, size);
    JsonNode constant = TestShapes.random(random, frame, size);
    check(GLOBE, GeospatialType.GEOGRAPHY, value, constant, random);
  }

  @Property(tries = 1000)
  @ShortTries(200)
  void findsAllMatchesInThePlane(@ForAll long seed) {
    Random random = new Random(seed);
    double size = 10 * TestShapes.size(random);
    boolean round = random.nextInt(4) == 0;
    double x = round ? 25 * (random.nextInt(7) - 3) : 140 * random.nextDouble() - 70;
    double y = round ? 25 * (random.nextInt(7) - 3) : 140 * random.nextDouble() - 40;
    TestShapes.Frame frame = TestShapes.plane(x, y);
    JsonNode value = TestShapes.random(random, frame, size);
    JsonNode constant = TestShapes.random(random, frame, size);
    check(PLANE, GeospatialType.GEOMETRY, value, constant, random);
  }

  private static void check(
      TermIndex index, GeospatialType on, JsonNode value, JsonNode constant, Random random) {
    Collection<String> terms = index.terms(value);
    if (terms != null) {
      assertThat(terms).hasSizeLessThanOrEqualTo(TermIndex.MAX_TERMS).doesNotHaveDuplicates();
      assertThat(terms).allMatch(term -> term.matches("[0-9a-f]{16}"));
    }
    for (int subject = 0; subject < 2; subject++) {
      JsonNode[] arguments =
          subject == 0 ? new JsonNode[] {value, constant} : new JsonNode[] {constant, value};
      List<@Nullable JsonNode> known = Arrays.asList(arguments.clone());
      known.set(subject, null);
      for (String function : List.of("ST_WITHIN", "ST_INTERSECTS")) {
        if (TestShapes.call(on, function, arguments).booleanValue()) {
          assertFound(
              index,
              terms,
              new CallCondition(function, subject, known, Comparison.EQUAL, BooleanNode.TRUE));
        }
      }
      JsonNode distance = TestShapes.call(on, "ST_DISTANCE", arguments);
      if (distance.isNumber()) {
        double least = distance.doubleValue();
        double more = least * (1 + random.nextDouble()) + Double.MIN_VALUE;
        assertFound(index, terms, distance(subject, known, Comparison.LESS_OR_EQUAL, least));
        assertFound(index, terms, distance(subject, known, Comparison.EQUAL, least));
        assertFound(index, terms, distance(subject, known, Comparison.LESS, more));
      }
    }
  }

  private static CallCondition distance(
      int subject, List<@Nullable JsonNode> known, Comparison comparison, double bound) {
    return new CallCondition("ST_DISTANCE", subject, known, comparison, DoubleNode.valueOf(bound));
  }

  private static void assertFound(
      TermIndex index, @Nullable Collection<String> terms, CallCondition condition) {
    List<TermRange> ranges = index.ranges(condition);
    assertThat(ranges).isNotEmpty().hasSizeLessThanOrEqualTo(SpatialTermIndex.MAX_RANGES);
    assertThat(ranges)
        .allMatch(range -> range.first().compareTo(range.last()) <= 0)
        .isSortedAccordingTo((a, b) -> a.last().compareTo(b.first()) < 0 ? -1 : 1);
    if (terms != null) {
      assertThat(terms).as("%s in %s", condition, ranges).anyMatch(term -> isIn(ranges, term));
    }
  }

  static boolean isIn(List<TermRange> ranges, String term) {
    return ranges.stream()
        .anyMatch(range -> range.first().compareTo(term) <= 0 && term.compareTo(range.last()) <= 0);
  }
}
