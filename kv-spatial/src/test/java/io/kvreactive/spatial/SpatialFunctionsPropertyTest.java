package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Point;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.spatial.TestShapes.Frame;
import io.kvreactive.spatial.TestShapes.Star;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.sf.geographiclib.Geodesic;

class SpatialFunctionsPropertyTest {
  /** A frame, the size of its shapes and the type of its coordinates. */
  private record Setting(GeospatialType on, Frame frame, double size) {
    static Setting random(Random random) {
      double size = TestShapes.size(random);
      if (random.nextInt(3) == 0) {
        double x = 100 * random.nextGaussian();
        return new Setting(GeospatialType.GEOMETRY, TestShapes.plane(x, -x / 3), size);
      }
      double[] place = TestShapes.place(random);
      return new Setting(GeospatialType.GEOGRAPHY, TestShapes.globe(place[0], place[1]), size);
    }

    boolean test(String function, JsonNode... arguments) {
      JsonNode value = TestShapes.call(on, function, arguments);
      assertThat(value.isBoolean()).as("%s of %s", function, List.of(arguments)).isTrue();
      return value.booleanValue();
    }

    double number(String function, JsonNode... arguments) {
      JsonNode value = TestShapes.call(on, function, arguments);
      assertThat(value.isDouble()).as("%s of %s", function, List.of(arguments)).isTrue();
      return value.doubleValue();
    }
  }

  @Property(tries = 1000)
  @ShortTries(150)
  void agreesAcrossFunctions(@ForAll long seed) {
    Random random = new Random(seed);
    Setting setting = Setting.random(random);
    JsonNode a = TestShapes.random(random, setting.frame, setting.size);
    JsonNode b = TestShapes.random(random, setting.frame, setting.size);
    boolean defined = setting.test("ST_ISVALID", a) && setting.test("ST_ISVALID", b);
    assertThat(TestShapes.call(setting.on, "ST_ISVALIDDETAILED", a).path("valid").booleanValue())
        .isEqualTo(setting.test("ST_ISVALID", a));
    for (String name : List.of("ST_DISTANCE", "ST_WITHIN", "ST_INTERSECTS")) {
      assertThat(TestShapes.call(setting.on, name, a, b).isMissingNode()).isEqualTo(!defined);
    }
    if (!defined) {
      return;
    }
    boolean intersects = setting.test("ST_INTERSECTS", a, b);
    assertThat(setting.test("ST_INTERSECTS", b, a)).isEqualTo(intersects);
    double distance = setting.number("ST_DISTANCE", a, b);
    assertThat(setting.number("ST_DISTANCE", b, a))
        .isCloseTo(distance, within(1e-6 + 1e-3 * distance));
    // the functions treat up to 6 micrometres on the globe as zero
    double least = setting.on == GeospatialType.GEOGRAPHY ? 1e-5 : Double.MIN_VALUE;
    assertThat(distance < least).as("distance %s", distance).isEqualTo(intersects);
    if (setting.test("ST_WITHIN", a, b)) {
      assertThat(intersects).isTrue();
      assertThat(setting.number("ST_AREA", a))
          .isLessThanOrEqualTo(setting.number("ST_AREA", b) * (1 + 1e-6) + 1);
    }
    assertThat(setting.test("ST_WITHIN", a, a)).isTrue();
    assertThat(setting.test("ST_INTERSECTS", a, a)).isTrue();
    assertThat(setting.number("ST_DISTANCE", a, a)).isCloseTo(0, within(1e-5));
    assertThat(setting.number("ST_AREA", a)).isGreaterThanOrEqualTo(0);
  }

  @Property(tries = 500)
  @ShortTries(100)
  void locatesPointsOnTheRaysOfVertices(@ForAll long seed) {
    Random random = new Random(seed);
    Setting setting = Setting.random(random);
    Star star = Star.random(random, setting.size);
    JsonNode polygon = star.polygon(setting.frame);
    boolean globe = setting.on == GeospatialType.GEOGRAPHY;
    JsonNode rest =
        TestShapes.shape("Polygon", TestShapes.array(List.of(star.ring(setting.frame, true))));
    for (int i = 0; i < star.x().length; i++) {
      JsonNode in = TestShapes.shape("Point", at(setting, star, i, 0.9));
      JsonNode out = TestShapes.shape("Point", at(setting, star, i, 1.1));
      JsonNode vertex = TestShapes.shape("Point", at(setting, star, i, 1));
      assertThat(setting.test("ST_WITHIN", in, polygon)).isTrue();
      assertThat(setting.test("ST_WITHIN", out, polygon)).isFalse();
      assertThat(setting.test("ST_WITHIN", vertex, polygon)).isTrue();
      assertThat(setting.test("ST_WITHIN", in, rest)).isEqualTo(!globe);
      assertThat(setting.test("ST_WITHIN", out, rest)).isEqualTo(globe);
      assertThat(setting.number("ST_DISTANCE", in, polygon)).isZero();
      assertThat(setting.number("ST_DISTANCE", out, polygon)).isPositive();
    }
  }

  private static JsonNode at(Setting setting, Star star, int vertex, double factor) {
    return setting.frame.at(star.x()[vertex] * factor, star.y()[vertex] * factor);
  }

  @Property(tries = 500)
  @ShortTries(100)
  void findsSmallerCopiesWithinTheOriginal(@ForAll long seed) {
    Random random = new Random(seed);
    Setting setting = Setting.random(random);
    Star star = Star.random(random, setting.size);
    JsonNode large = star.polygon(setting.frame);
    JsonNode small = star.scaled(0.3 + 0.6 * random.nextDouble()).polygon(setting.frame);
    JsonNode holed =
        TestShapes.shape(
            "Polygon",
            TestShapes.array(
                List.of(
                    star.ring(setting.frame, false),
                    star.scaled(0.95).ring(setting.frame, random.nextBoolean()))));
    assertThat(setting.test("ST_WITHIN", small, large)).isTrue();
    assertThat(setting.test("ST_WITHIN", large, small)).isFalse();
    assertThat(setting.test("ST_WITHIN", holed, large)).isTrue();
    assertThat(setting.test("ST_WITHIN", large, holed)).isFalse();
    assertThat(setting.test("ST_INTERSECTS", small, holed)).isFalse();
    assertThat(setting.number("ST_AREA", small)).isLessThan(setting.number("ST_AREA", large));
    if (setting.on == GeospatialType.GEOGRAPHY) {
      JsonNode rest =
          TestShapes.shape("Polygon", TestShapes.array(List.of(star.ring(setting.frame, true))));
      assertThat(setting.test("ST_INTERSECTS", small, rest)).isFalse();
      assertThat(setting.test("ST_WITHIN", small, rest)).isFalse();
      assertThat(setting.test("ST_INTERSECTS", large, rest)).isTrue(); // at their boundary
      assertThat(setting.test("ST_WITHIN", large, rest)).isFalse();
      assertThat(setting.test("ST_WITHIN", rest, large)).isFalse();
    }
  }

  @Property(tries = 300)
  @ShortTries(80)
  void measuresTheGeodesicToTheNearestPointOfALine(@ForAll long seed) {
    Random random = new Random(seed);
    double size = Math.min(0.5, TestShapes.size(random));
    double[] place = TestShapes.place(random);
    Frame frame = TestShapes.globe(place[0], place[1]);
    List<JsonNode> line = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(8); i++) {
      line.add(frame.at(size * random.nextGaussian(), size * random.nextGaussian()));
    }
    JsonNode at = frame.at(size * random.nextGaussian(), size * random.nextGaussian());
    double expected = Double.POSITIVE_INFINITY;
    for (int i = 1; i < line.size(); i++) {
      expected = Math.min(expected, toArc(point(at), point(line.get(i - 1)), point(line.get(i))));
    }
    double actual =
        TestShapes.call(
                GeospatialType.GEOGRAPHY,
                "ST_DISTANCE",
                TestShapes.shape("Point", at),
                TestShapes.shape("LineString", TestShapes.array(line)))
            .doubleValue();
    assertThat(actual).isCloseTo(expected, within(1e-9 * expected + 1e-6));
  }

  private static S2Point point(JsonNode position) {
    return S2LatLng.fromDegrees(position.get(1).doubleValue(), position.get(0).doubleValue())
        .toPoint();
  }

  /** Returns the least distance to an arc, by dividing the best part of it again and again. */
  private static double toArc(S2Point point, S2Point from, S2Point to) {
    double low = 0;
    double high = 1;
    double best = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int round = 0; round < 30; round++) {
      double step = (high - low) / 10;
      for (int i = 0; i <= 10; i++) {
        double part = low + i * step;
        S2LatLng there =
            new S2LatLng(
                S2Point.normalize(S2Point.add(S2Point.mul(from, 1 - part), S2Point.mul(to, part))));
        S2LatLng here = new S2LatLng(point);
        double metres =
            Geodesic.WGS84.Inverse(
                    here.latDegrees(), here.lngDegrees(), there.latDegrees(), there.lngDegrees())
                .s12;
        if (metres < least) {
          least = metres;
          best = part;
        }
      }
      low = Math.max(0, best - step);
      high = Math.min(1, best + step);
    }
    return least;
  }
}
