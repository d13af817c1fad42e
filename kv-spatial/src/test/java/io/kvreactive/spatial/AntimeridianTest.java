package io.kvreactive.spatial;

import static io.kvreactive.documents.GeospatialType.GEOGRAPHY;
import static io.kvreactive.documents.GeospatialType.GEOMETRY;
import static io.kvreactive.spatial.TestShapes.call;
import static io.kvreactive.spatial.TestShapes.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.TermRange;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shapes that are cut along the antimeridian, and rings that lead along it to a pole. */
class AntimeridianTest {
  private static final String EAST = "[[170,40],[180,40],[180,50],[170,50],[170,40]]";
  private static final String WEST = "[[-180,40],[-170,40],[-170,50],[-180,50],[-180,40]]";
  private static final String ACROSS =
      "[[170,40],[180,40],[-170,40],[-170,50],[180,50],[170,50],[170,40]]";

  private static JsonNode point(double x, double y) {
    return json("{'type':'Point','coordinates':[" + x + "," + y + "]}");
  }

  private static JsonNode polygon(String... rings) {
    return json("{'type':'Polygon','coordinates':[" + String.join(",", rings) + "]}");
  }

  private static JsonNode polygons(String... outerRings) {
    return json("{'type':'MultiPolygon','coordinates':[[" + String.join("],[", outerRings) + "]]}");
  }

  private static boolean is(String function, JsonNode a, JsonNode b) {
    return call(GEOGRAPHY, function, a, b).booleanValue();
  }

  private static double area(JsonNode shape) {
    return call(GEOGRAPHY, "ST_AREA", shape).doubleValue();
  }

  private static String reason(JsonNode shape) {
    return call(GEOGRAPHY, "ST_ISVALIDDETAILED", shape).path("reason").asText();
  }

  /** Asserts that two shapes have the same points, and that an index finds both. */
  private static void assertSame(JsonNode shape, JsonNode other) {
    assertThat(reason(shape)).isEmpty();
    assertThat(is("ST_WITHIN", shape, other)).isTrue();
    assertThat(is("ST_WITHIN", other, shape)).isTrue();
    assertThat(area(shape)).isCloseTo(area(other), within(1e-9 * area(other)));
    SpatialTermIndex index =
        SpatialTermIndex.of(
            new SpatialIndex("/p/?", List.of("Polygon", "MultiPolygon"), null), GEOGRAPHY);
    CallCondition condition =
        new CallCondition(
            "ST_WITHIN",
            0,
            Arrays.asList(null, other),
            CallCondition.Comparison.EQUAL,
            BooleanNode.TRUE);
    List<TermRange> ranges = index.ranges(condition);
    assertThat(index.terms(shape))
        .isNotEmpty()
        .anyMatch(
            term ->
                ranges.stream()
                    .anyMatch(
                        range ->
                            range.first().compareTo(term) <= 0
                                && range.last().compareTo(term) >= 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WEST,
        "[[-180,40],[-170,40],[-170,50],[-180,50],[-180,47],[-180,43.5],[-180,40]]" // more
        // positions
      })
  void joinsAShapeThatIsCut(String west) {
    JsonNode shape = polygons(EAST, west);
    assertSame(shape, polygon(ACROSS));
    for (double x : new double[] {171, 180, -180, -171}) {
      assertThat(is("ST_WITHIN", point(x, 45), shape)).isTrue();
      assertThat(is("ST_INTERSECTS", shape, point(x, 45))).isTrue();
      assertThat(is("ST_INTERSECTS", shape, point(x, 55))).isFalse();
    }
    assertThat(is("ST_WITHIN", point(169, 45), shape)).isFalse();
    // the cut is no boundary
    assertThat(is("ST_WITHIN", polygon("[[179,44],[-179,44],[-179,46],[179,46],[179,44]]"), shape))
        .isTrue();
  }

  @Test
  void joinsAHoleThatIsCut() {
    JsonNode cut =
        polygons(
            "[[160,40],[180,40],[180,42],[170,42],[170,48],[180,48],[180,50],[160,50],[160,40]]",
            "[[-180,40],[-160,40],[-160,50],[-180,50],[-180,48],[-170,48],[-170,42],[-180,42],"
                + "[-180,40]]");
    JsonNode whole =
        polygon(
            "[[160,40],[180,40],[-160,40],[-160,50],[180,50],[160,50],[160,40]]",
            "[[170,42],[170,48],[180,48],[-170,48],[-170,42],[180,42],[170,42]]");
    assertSame(cut, whole);
    assertThat(is("ST_INTERSECTS", point(180, 45), cut)).isFalse();
    assertThat(is("ST_WITHIN", point(180, 41), cut)).isTrue();
    assertThat(is("ST_WITHIN", point(-165, 45), cut)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "-90, -80, '[180,-80],[90,-80],[0,-80],[-90,-80]'",
    "90, 80, '[-180,80],[-90,80],[0,80],[90,80]'"
  })
  void leadsARingAlongTheAntimeridianToThePole(int pole, int latitude, String around) {
    int west = pole < 0 ? -180 : 180; // the interior is on the left
    String far = "[" + west + "," + latitude + "]";
    String ring =
        "[[" + -west + "," + pole + "]," + around + "," + far + ",[" + west + "," + pole + "],"
            + "[" + -west + "," + pole + "]]";
    JsonNode shape = polygon(ring);
    assertSame(
        shape, polygon("[" + around + "," + around.substring(0, around.indexOf(']') + 1) + "]"));
    assertThat(is("ST_WITHIN", point(77, pole), shape)).isTrue();
    assertThat(is("ST_WITHIN", point(180, latitude * 1.05), shape)).isTrue();
    assertThat(is("ST_WITHIN", point(-180, latitude * 0.9), shape)).isFalse();
  }

  @Test
  void joinsAHoleAroundAPole() {
    JsonNode shape =
        polygon(
            "[[180,-60],[90,-60],[0,-60],[-90,-60],[180,-60]]",
            "[[180,-90],[180,-80],[90,-80],[0,-80],[-90,-80],[-180,-80],[-180,-90],[180,-90]]");
    assertThat(reason(shape)).isEmpty();
    assertThat(is("ST_INTERSECTS", point(0, -90), shape)).isFalse();
    assertThat(is("ST_WITHIN", point(180, -70), shape)).isTrue();
  }

  @Test
  void rejectsWhatOverlapsOrSharesOtherEdges() {
    assertThat(reason(polygons(EAST, EAST))).isNotEmpty();
    assertThat(reason(polygons(EAST, ACROSS))).isNotEmpty();
    assertThat(
            reason(
                polygons(
                    "[[0,0],[10,0],[10,10],[0,10],[0,0]]",
                    "[[10,0],[20,0],[20,10],[10,10],[10,0]]")))
        .isEqualTo("Rings must not have an edge in common: [10, 10] to [10, 0].");
    assertThat(
            reason(
                polygon(
                    "[[-180,-90],[0,-90],[180,-90],[180,0],[180,90],[-180,90],[-180,0],[-180,-90]]")))
        .isEqualTo("The rings along the antimeridian do not enclose an area.");
  }

  @Test
  void hasOneDistanceForBothNotationsOfAPlace() {
    JsonNode line = json("{'type':'LineString','coordinates':[[170,5],[180,5],[-180,5],[-170,5]]}");
    for (double x : new double[] {180, -180}) {
      assertThat(call(GEOGRAPHY, "ST_DISTANCE", point(x, 5), point(-x, 5)).doubleValue()).isZero();
      assertThat(call(GEOGRAPHY, "ST_DISTANCE", point(x, 5), line).doubleValue()).isZero();
      assertThat(call(GEOGRAPHY, "ST_DISTANCE", point(x, 90), point(3, 90)).doubleValue()).isZero();
      assertThat(is("ST_WITHIN", point(x, 5), line)).isTrue();
    }
    // in the plane they are different places
    assertThat(call(GEOMETRY, "ST_DISTANCE", point(180, 5), point(-180, 5)).doubleValue())
        .isEqualTo(360);
  }

  @Test
  void tellsThePositionsOfInvalidRings() {
    assertThat(reason(polygon("[[0,0],[10,10],[10,0],[0,9],[0,0]]")))
        .startsWith("The edges of a ring must not cross: ")
        .contains("[0, 0] to [10, 10]")
        .contains("[10, 0] to [0, 9]");
    assertThat(reason(polygon("[[0,0],[10,0],[5,5],[10,10],[0,10],[5,5],[0,0]]")))
        .isEqualTo("A ring must not pass a position twice: [5, 5].");
    assertThat(reason(polygon("[[0,0],[10,0],[10,10],[0,10],[0,0]]", "[[5,5],[15,6],[5,7],[5,5]]")))
        .startsWith("Rings must not cross: ")
        .contains("[10, 0] to [10, 10]");
    JsonNode plane = polygon("[[0,0],[10,10],[10,0],[0,10],[0,0]]");
    assertThat(call(GEOMETRY, "ST_ISVALIDDETAILED", plane).path("reason").asText())
        .isEqualTo("The coordinates are not valid: Self-intersection at [5, 5].");
  }
}
