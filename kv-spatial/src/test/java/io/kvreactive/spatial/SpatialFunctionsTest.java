package io.kvreactive.spatial;

import static io.kvreactive.documents.GeospatialType.GEOGRAPHY;
import static io.kvreactive.documents.GeospatialType.GEOMETRY;
import static io.kvreactive.spatial.TestShapes.call;
import static io.kvreactive.spatial.TestShapes.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpatialFunctionsTest {
  private static final String SQUARE =
      "{'type':'Polygon','coordinates':[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}";

  private static String point(double x, double y) {
    return "{'type':'Point','coordinates':[" + x + "," + y + "]}";
  }

  private static String line(String positions) {
    return "{'type':'LineString','coordinates':[" + positions + "]}";
  }

  private static String polygon(String... rings) {
    return "{'type':'Polygon','coordinates':[[" + String.join("],[", rings) + "]]}";
  }

  private static double distance(GeospatialType on, String a, String b) {
    return call(on, "ST_DISTANCE", json(a), json(b)).doubleValue();
  }

  private static boolean isWithin(GeospatialType on, String a, String b) {
    return call(on, "ST_WITHIN", json(a), json(b)).booleanValue();
  }

  private static boolean intersects(GeospatialType on, String a, String b) {
    return call(on, "ST_INTERSECTS", json(a), json(b)).booleanValue();
  }

  private static String reason(GeospatialType on, String value) {
    return call(on, "ST_ISVALIDDETAILED", json(value)).path("reason").textValue();
  }

  private static double area(GeospatialType on, String value) {
    return call(on, "ST_AREA", json(value)).doubleValue();
  }

  /** Counts the calls that are announced as long. */
  private static final class CountingContext implements EvaluationContext {
    private final EvaluationContext context = new TestShapes.Context(GEOGRAPHY);
    private int longCalls;

    @Override
    public <T> T longCall(Supplier<T> part) {
      longCalls++;
      return part.get();
    }

    @Override
    public Instant now() {
      return context.now();
    }

    @Override
    public Instant queryTime() {
      return context.queryTime();
    }

    @Override
    public double random() {
      return context.random();
    }

    @Override
    public long documentId() {
      return context.documentId();
    }
  }

  @Test
  void announcesCallsWithManyPositionsAsLongCalls() {
    CountingContext context = new CountingContext();
    List<String> ring = new ArrayList<>();
    for (int i = 0; i <= 1000; i++) {
      double angle = 2 * Math.PI * (i % 1000) / 1000;
      ring.add("[" + Math.cos(angle) + "," + Math.sin(angle) + "]");
    }
    JsonNode large = json(polygon(String.join(",", ring)));
    JsonNode small = json(point(0, 0));
    ScalarFunction within = TestShapes.function("ST_WITHIN");

    within.call(new JsonNode[] {small, json(SQUARE)}, context);
    assertThat(context.longCalls).isZero();
    within.call(new JsonNode[] {small, large}, context);
    assertThat(context.longCalls).isEqualTo(1);

    ScalarFunction ofConstant = within.prepare(index -> index == 1 ? large : null);
    for (int i = 0; i < 10; i++) { // the constant is parsed once
      assertThat(ofConstant.call(new JsonNode[] {small, large}, context).booleanValue()).isTrue();
      assertThat(context.longCalls).isEqualTo(2);
    }
    assertThat(ofConstant.call(new JsonNode[] {large, large}, context).booleanValue()).isTrue();
    assertThat(context.longCalls).isEqualTo(3);
  }

  @Test
  void computesTheAreaOfTheReferenceService() {
    String sample = polygon("[31.8,-5],[32,-5],[32,-4.7],[31.8,-4.7],[31.8,-5]");
    assertThat(area(GEOGRAPHY, sample))
        .isCloseTo(735970283.0522614, Percentage.withPercentage(1e-4));
    assertThat(area(GEOMETRY, sample)).isCloseTo(0.06, within(1e-12));
  }

  @Test
  void measuresTinyPolygonsAtAPole() {
    // a triangle of less than a square metre, found by the random tests
    String tiny =
        polygon(
            "[-171.99881692468207,89.99999789053808],[-166.25856182766702,89.99999839230773],"
                + "[165.65753387903587,89.99999823432212],[-171.99881692468207,89.99999789053808]");
    assertThat(area(GEOGRAPHY, tiny)).isBetween(0.0, 1.0);
  }

  @Test
  void computesAreaOfClockwiseRingAsTheRestOfTheGlobe() {
    double globe = 510065621724088.44; // of the WGS-84 ellipsoid
    double square = area(GEOGRAPHY, SQUARE);
    String rest = polygon("[0,0],[0,10],[10,10],[10,0],[0,0]");
    assertThat(area(GEOGRAPHY, rest) + square).isCloseTo(globe, within(1e3));
    assertThat(area(GEOMETRY, rest)).isEqualTo(100);
    String octant = polygon("[0,0],[90,0],[0,90],[0,0]");
    assertThat(area(GEOGRAPHY, octant)).isCloseTo(globe / 8, within(1e3));
  }

  @Test
  void subtractsHolesOfEitherOrientationFromTheArea() {
    String outer = "[0,0],[10,0],[10,10],[0,10],[0,0]";
    for (String hole : List.of("[2,2],[4,2],[4,4],[2,4],[2,2]", "[2,2],[2,4],[4,4],[4,2],[2,2]")) {
      assertThat(area(GEOGRAPHY, polygon(outer, hole)))
          .isCloseTo(
              area(GEOGRAPHY, SQUARE) - area(GEOGRAPHY, polygon("[2,2],[4,2],[4,4],[2,4],[2,2]")),
              within(1.0));
      assertThat(area(GEOMETRY, polygon(outer, hole))).isEqualTo(96);
      assertThat(isWithin(GEOGRAPHY, point(3, 3), polygon(outer, hole))).isFalse();
      assertThat(isWithin(GEOGRAPHY, point(1, 1), polygon(outer, hole))).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void returnsZeroAreaForPointsAndLines(GeospatialType on) {
    assertThat(area(on, point(1, 2))).isZero();
    assertThat(area(on, line("[0,0],[1,1]"))).isZero();
  }

  /**
   * Expected values: quarter meridian and one degree of the equator, from tables of the ellipsoid.
   */
  @Test
  void computesGeodesicDistanceBetweenPoints() {
    assertThat(distance(GEOGRAPHY, point(0, 0), point(0, 90)))
        .isCloseTo(10001965.729, within(0.001));
    assertThat(distance(GEOGRAPHY, point(7, 0), point(8, 0))).isCloseTo(111319.491, within(0.001));
    assertThat(distance(GEOGRAPHY, point(179.5, 0), point(-179.5, 0)))
        .isCloseTo(111319.491, within(0.001));
    assertThat(distance(GEOGRAPHY, point(12, 90), point(-100, 90))).isCloseTo(0, within(1e-8));
    assertThat(distance(GEOMETRY, point(0, 0), point(3, 4))).isEqualTo(5);
  }

  @Test
  void measuresDistanceToTheNearestPointOfAShape() {
    String equator = line("[0,0],[10,0]");
    // the meridian from the equator to 1 degree north
    assertThat(distance(GEOGRAPHY, point(5, 1), equator)).isCloseTo(110574.389, within(0.01));
    assertThat(distance(GEOGRAPHY, SQUARE, point(5, -1))).isCloseTo(110574.389, within(0.01));
    assertThat(distance(GEOGRAPHY, equator, line("[11,0],[12,5]")))
        .isCloseTo(111319.491, within(0.01));
    assertThat(distance(GEOGRAPHY, point(5, 5), SQUARE)).isZero();
    assertThat(distance(GEOGRAPHY, equator, line("[5,-1],[5,1]"))).isZero();
    assertThat(distance(GEOMETRY, point(5, 5), SQUARE)).isZero();
    assertThat(distance(GEOMETRY, point(13, 14), SQUARE)).isEqualTo(5);
    String hole = polygon("[0,0],[10,0],[10,10],[0,10],[0,0]", "[2,2],[8,2],[8,8],[2,8],[2,2]");
    assertThat(distance(GEOMETRY, point(3, 5), hole)).isEqualTo(1);
    assertThat(distance(GEOGRAPHY, point(5, 5), hole)).isBetween(300_000.0, 340_000.0);
  }

  /** A road that crosses a campus, both narrow polygons. */
  @Test
  void intersectsLikeTheReferenceService() {
    String road =
        polygon(
            "[-122.13693695285855,47.64996065621003],[-122.1351662656516,47.64627863318731],"
                + "[-122.13488295569863,47.646326350048696],[-122.1366182291613,47.650016321952904],"
                + "[-122.13693695285855,47.64996065621003]");
    String campus =
        polygon(
            "[-122.14034847687708,47.6494835188378],[-122.14014779899375,47.64625477474044],"
                + "[-122.13256925774829,47.646207057813655],"
                + "[-122.13254564858545,47.64941990019193],[-122.14034847687708,47.6494835188378]");
    assertThat(intersects(GEOGRAPHY, road, campus)).isTrue();
    assertThat(intersects(GEOMETRY, road, campus)).isTrue();
    assertThat(isWithin(GEOGRAPHY, road, campus)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void treatsTheBoundaryAsPartOfThePolygon(GeospatialType on) {
    assertThat(isWithin(on, point(0, 5), SQUARE)).isTrue();
    assertThat(isWithin(on, point(10, 10), SQUARE)).isTrue();
    assertThat(isWithin(on, point(5, 0), SQUARE)).isTrue();
    assertThat(isWithin(on, point(10, 0.001), SQUARE)).isTrue();
    assertThat(isWithin(on, point(10.0001, 5), SQUARE)).isFalse();
    assertThat(isWithin(on, line("[0,0],[0,10]"), SQUARE)).isTrue();
    assertThat(isWithin(on, SQUARE, SQUARE)).isTrue();
    assertThat(intersects(on, SQUARE, polygon("[10,0],[20,0],[20,10],[10,10],[10,0]"))).isTrue();
    assertThat(isWithin(on, point(3, 0), line("[0,0],[5,0]"))).isTrue();
    assertThat(isWithin(on, point(3, 0.001), line("[0,0],[5,0]"))).isFalse();
    assertThat(isWithin(on, point(1, 1), point(1, 1))).isTrue();
    assertThat(isWithin(on, point(1, 1), point(1, 1.001))).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void checksContainmentOfLinesAndPolygons(GeospatialType on) {
    String u = polygon("[0,0],[9,0],[9,9],[6,9],[6,3],[3,3],[3,9],[0,9],[0,0]");
    assertThat(isWithin(on, line("[1,8],[8,8]"), u)).isFalse();
    assertThat(isWithin(on, line("[3,9],[6,9]"), u)).isFalse(); // between two of its corners
    assertThat(isWithin(on, line("[1,8],[1,1],[8,1],[8,8]"), u)).isTrue();
    assertThat(isWithin(on, polygon("[3,3],[6,3],[6,9],[3,9],[3,3]"), u)).isFalse(); // its gap
    assertThat(isWithin(on, polygon("[0,0],[3,0],[3,9],[0,9],[0,0]"), u)).isTrue();
    assertThat(isWithin(on, u, SQUARE)).isTrue();
    assertThat(isWithin(on, SQUARE, u)).isFalse();
    assertThat(isWithin(on, SQUARE, line("[0,0],[10,0]"))).isFalse();
    assertThat(isWithin(on, line("[1,0],[2,0]"), line("[0,0],[5,0]"))).isTrue();
    assertThat(isWithin(on, line("[1,0],[6,0]"), line("[0,0],[5,0]"))).isFalse();
    assertThat(isWithin(on, line("[0,0],[1,0]"), point(0, 0))).isFalse();
    String hole = "[2,2],[4,2],[4,4],[2,4],[2,2]";
    String holed = polygon("[0,0],[10,0],[10,10],[0,10],[0,0]", hole);
    assertThat(isWithin(on, polygon(hole), holed)).isFalse();
    assertThat(isWithin(on, polygon("[1,1],[5,1],[5,5],[1,5],[1,1]"), holed)).isFalse();
    assertThat(isWithin(on, polygon("[5,5],[6,5],[6,6],[5,6],[5,5]"), holed)).isTrue();
    assertThat(isWithin(on, holed, SQUARE)).isTrue();
    assertThat(isWithin(on, SQUARE, holed)).isFalse();
    assertThat(intersects(on, point(3, 3), holed)).isFalse();
  }

  @Test
  void handlesPolesAndAntimeridian() {
    String cap = polygon("[0,80],[120,80],[-120,80],[0,80]");
    assertThat(isWithin(GEOGRAPHY, point(77, 90), cap)).isTrue();
    assertThat(isWithin(GEOGRAPHY, point(77, -90), cap)).isFalse();
    assertThat(isWithin(GEOGRAPHY, point(0, 70), cap)).isFalse();
    String across = polygon("[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]");
    assertThat(isWithin(GEOGRAPHY, point(180, 0), across)).isTrue();
    assertThat(isWithin(GEOGRAPHY, point(-180, 0), across)).isTrue();
    assertThat(isWithin(GEOGRAPHY, point(0, 0), across)).isFalse();
    String rest = polygon("[0,80],[-120,80],[120,80],[0,80]");
    assertThat(isWithin(GEOGRAPHY, point(77, -90), rest)).isTrue();
    assertThat(isWithin(GEOGRAPHY, point(77, 90), rest)).isFalse();
    assertThat(isWithin(GEOGRAPHY, across, rest)).isTrue();
    assertThat(isWithin(GEOGRAPHY, rest, across)).isFalse();
  }

  @Test
  void explainsInvalidShapes() {
    assertThat(reason(GEOGRAPHY, "{'type':'Point','coordinates':[133.75,-184.38]}"))
        .isEqualTo("Latitude values must be between -90 and 90 degrees.");
    assertThat(reason(GEOGRAPHY, "{'type':'Point','coordinates':[181,0]}"))
        .isEqualTo("Longitude values must be between -180 and 180 degrees.");
    assertThat(reason(GEOMETRY, "{'type':'Point','coordinates':[133.75,-184.38]}")).isNull();
    assertThat(call(GEOGRAPHY, "ST_ISVALIDDETAILED", json(point(1, 2))))
        .isEqualTo(json("{'valid':true}"));
    assertThat(call(GEOGRAPHY, "ST_ISVALIDDETAILED", json("3")).isMissingNode()).isTrue();
    assertThat(call(GEOGRAPHY, "ST_ISVALID", json("'x'")).isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'type':'Point'}",
        "{'coordinates':[1,2]}",
        "{'type':'Point','coordinates':[1]}",
        "{'type':'Point','coordinates':['1','2']}",
        "{'type':'Point','coordinates':[1e999,2]}",
        "{'type':'Point','coordinates':[[1,2]]}",
        "{'type':'Point','coordinates':{'0':1,'1':2}}",
        "{'type':'point','coordinates':[1,2]}",
        "{'type':'MultiPoint','coordinates':[[1,2]]}",
        "{'type':'LineString','coordinates':[[1,2]]}",
        "{'type':'LineString','coordinates':[[1,2],[1,2]]}",
        "{'type':'LineString','coordinates':[[1,2],[1,null]]}",
        "{'type':'Polygon','coordinates':[]}",
        "{'type':'Polygon','coordinates':[[]]}",
        "{'type':'Polygon','coordinates':[[[0,0],[1,0],[1,1]]]}",
        "{'type':'Polygon','coordinates':[[[0,0],[1,0],[1,1],[0,1]]]}",
        "{'type':'Polygon','coordinates':[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}",
        "{'type':'Polygon','coordinates':[[[0,0],[1,0],[0,0],[1,0],[0,0]]]}",
        "{'type':'MultiPolygon','coordinates':[]}",
        "{'type':'Polygon','coordinates':[[[0,0],[4,0],[4,4],[0,4],[0,0]],"
            + "[[6,6],[7,6],[7,7],[6,7],[6,6]]]}",
        "{'type':'MultiPolygon','coordinates':[[[[0,0],[4,0],[4,4],[0,4],[0,0]]],"
            + "[[[1,1],[2,1],[2,2],[1,2],[1,1]]]]}"
      })
  void returnsUndefinedForObjectsThatAreNotShapes(String value) {
    for (GeospatialType on : GeospatialType.values()) {
      assertThat(call(on, "ST_ISVALID", json(value)).booleanValue()).isFalse();
      assertThat(reason(on, value)).isNotBlank();
      for (String name : List.of("ST_DISTANCE", "ST_WITHIN", "ST_INTERSECTS")) {
        assertThat(call(on, name, json(value), json(SQUARE)).isMissingNode()).isTrue();
        assertThat(call(on, name, json(SQUARE), json(value)).isMissingNode()).isTrue();
      }
      assertThat(call(on, "ST_AREA", json(value)).isMissingNode()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ignoresAltitudesAndOtherMembers(GeospatialType on) {
    String value = "{'type':'Point','coordinates':[1,2,300],'bbox':[1,2,1,2],'crs':null}";
    assertThat(call(on, "ST_ISVALID", json(value)).booleanValue()).isTrue();
    assertThat(distance(on, value, point(1, 2))).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void returnsTheSameValuesFromPreparedFunctions(GeospatialType on) {
    ScalarFunction function = TestShapes.function("ST_WITHIN");
    JsonNode constant = json(SQUARE);
    ScalarFunction prepared = function.prepare(i -> i == 1 ? constant : null);
    var context = new TestShapes.Context(on);
    JsonNode inside = json(point(1, 1));
    JsonNode[] arguments = {inside, constant};
    assertThat(prepared.call(arguments, context)).isEqualTo(function.call(arguments, context));
    arguments[0] = json(point(1, 11));
    assertThat(prepared.call(arguments, context).booleanValue()).isFalse();
  }

  /** Indexes on the edges of both shapes bound the work of the functions. */
  @ParameterizedTest
  @EnumSource
  void comparesLargePolygonsFast(GeospatialType on) {
    JsonNode a = comb(4096, 0);
    JsonNode b = comb(4096, 0.5);
    assertThat(call(on, "ST_ISVALID", a).booleanValue()).isTrue();
    long start = System.nanoTime();
    for (String name : List.of("ST_DISTANCE", "ST_WITHIN", "ST_INTERSECTS")) {
      call(on, name, a, b);
      call(on, name, a, a);
    }
    call(on, "ST_AREA", a);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(120));
    assertThat(call(on, "ST_ISVALID", comb(4098, 0)).booleanValue()).isFalse();
  }

  /** The section of docs/security.md about long queries names the limit. */
  @ParameterizedTest
  @EnumSource
  void limitsShapesTo8192Positions(GeospatialType on) throws Exception {
    for (int positions : new int[] {8192, 8193}) {
      var points = new java.util.ArrayList<JsonNode>();
      for (int i = 0; i < positions; i++) {
        points.add(TestShapes.position(i / 100.0, i % 2));
      }
      JsonNode line = TestShapes.shape("LineString", TestShapes.array(points));
      assertThat(call(on, "ST_ISVALID", line).booleanValue()).isEqualTo(positions == 8192);
    }
    assertThat(Files.readString(Path.of("../docs/security.md")))
        .contains("on shapes of 8192 positions, the maximum");
  }

  /** Returns a polygon of long thin teeth; a comb shifted by half a tooth fits between them. */
  private static JsonNode comb(int positions, double shift) {
    int teeth = (positions - 4) / 2;
    var ring = new java.util.ArrayList<JsonNode>();
    ring.add(TestShapes.position(-1, -1 - shift));
    ring.add(TestShapes.position(61, -1 - shift));
    for (int i = 2 * teeth - 1; i >= 0; i--) {
      double x = 60.0 * (i + 0.1 + shift * (i % 2 == 0 ? 0 : 0.1)) / (2 * teeth);
      ring.add(TestShapes.position(x, i % 2 == 0 ? 0 : 40 + shift));
    }
    ring.add(TestShapes.position(-1, -0.5 - shift));
    ring.add(ring.get(0));
    return TestShapes.shape("Polygon", TestShapes.array(List.of(TestShapes.array(ring))));
  }
}
