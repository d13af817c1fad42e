package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Point;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random GeoJSON and calls of spatial functions. */
final class TestShapes {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private TestShapes() {}

  /** A context without an item, at the beginning of time. */
  static class Context implements EvaluationContext {
    private final GeospatialType type;

    Context(GeospatialType type) {
      this.type = type;
    }

    @Override
    public GeospatialType geospatialType() {
      return type;
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public Instant queryTime() {
      return Instant.EPOCH;
    }

    @Override
    public double random() {
      return 0;
    }

    @Override
    public long documentId() {
      return 1;
    }
  }

  static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text.replace('\'', '"'));
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ScalarFunction function(String name) {
    return new SpatialExtension()
        .functions().stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }

  static JsonNode call(GeospatialType on, String name, JsonNode... arguments) {
    return function(name).call(arguments, new Context(on));
  }

  static JsonNode shape(String type, JsonNode coordinates) {
    ObjectNode shape = JsonNodeFactory.instance.objectNode();
    shape.put("type", type);
    shape.set("coordinates", coordinates);
    return shape;
  }

  static ArrayNode array(Iterable<? extends JsonNode> elements) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    elements.forEach(array::add);
    return array;
  }

  static ArrayNode position(double x, double y) {
    return JsonNodeFactory.instance.arrayNode().add(x).add(y);
  }

  /**
   * Coordinates around a centre: a tangent plane of the globe, whose straight lines are great
   * circles, or the plane itself.
   */
  interface Frame {
    ArrayNode at(double x, double y);
  }

  /** Returns the gnomonic projection around a position. */
  static Frame globe(double lon, double lat) {
    S2Point center = S2LatLng.fromDegrees(lat, lon).toPoint();
    S2Point u = center.ortho();
    S2Point v = S2Point.crossProd(center, u);
    return (x, y) -> {
      S2LatLng at =
          new S2LatLng(S2Point.add(center, S2Point.add(S2Point.mul(u, x), S2Point.mul(v, y))));
      return position(at.lngDegrees(), at.latDegrees());
    };
  }

  static Frame plane(double centerX, double centerY) {
    return (x, y) -> position(centerX + x, centerY + y);
  }

  /** The counter-clockwise vertices of a polygon that every ray from its centre crosses once. */
  record Star(double[] x, double[] y) {
    static Star random(Random random, double size) {
      int n = 3 + random.nextInt(random.nextInt(10) == 0 ? 60 : 8);
      double[] x = new double[n];
      double[] y = new double[n];
      for (int i = 0; i < n; i++) {
        double angle = 2 * Math.PI * (i + 0.4 * random.nextDouble()) / n;
        double radius = size * (0.3 + 0.7 * random.nextDouble());
        x[i] = radius * Math.cos(angle);
        y[i] = radius * Math.sin(angle);
      }
      return new Star(x, y);
    }

    Star scaled(double factor) {
      double[] scaledX = x.clone();
      double[] scaledY = y.clone();
      for (int i = 0; i < x.length; i++) {
        scaledX[i] *= factor;
        scaledY[i] *= factor;
      }
      return new Star(scaledX, scaledY);
    }

    ArrayNode ring(Frame frame, boolean clockwise) {
      List<JsonNode> ring = new ArrayList<>();
      for (int i = 0; i < x.length; i++) {
        ring.add(frame.at(x[i], y[i]));
      }
      if (clockwise) {
        Collections.reverse(ring);
      }
      ring.add(ring.get(0));
      return array(ring);
    }

    JsonNode polygon(Frame frame) {
      return shape("Polygon", array(List.of(ring(frame, false))));
    }
  }

  /** Returns a longitude and latitude, often at a pole, at the antimeridian or at whole degrees. */
  static double[] place(Random random) {
    double lon = 360 * random.nextDouble() - 180;
    double lat = Math.toDegrees(Math.asin(2 * random.nextDouble() - 1));
    double near = 3 * random.nextDouble() * random.nextDouble();
    return switch (random.nextInt(8)) {
      case 0 -> new double[] {lon, 90 - near};
      case 1 -> new double[] {lon, near - 90};
      case 2 -> new double[] {180 - near, lat};
      case 3 -> new double[] {near - 180, lat};
      case 4 -> new double[] {45 * (random.nextInt(9) - 4), 45 * (random.nextInt(5) - 2)};
      default -> new double[] {lon, lat};
    };
  }

  /** Returns a size, a tangent or a length. Tiny and huge sizes are equally frequent. */
  static double size(Random random) {
    return Math.pow(10, -7 + 8 * random.nextDouble());
  }

  /** Returns a random shape near the centre of a frame. Nearly all shapes are valid. */
  static JsonNode random(Random random, Frame frame, double size) {
    double dx = size * 2 * random.nextGaussian();
    double dy = size * 2 * random.nextGaussian();
    if (random.nextInt(3) == 0) {
      dx = 0;
      dy = 0;
    }
    double shiftX = dx;
    double shiftY = dy;
    Frame shifted = (x, y) -> frame.at(x + shiftX, y + shiftY);
    double own = size * Math.pow(10, -1.5 + 2.5 * random.nextDouble());
    Star star = Star.random(random, own);
    switch (random.nextInt(6)) {
      case 0:
        return shape("Point", shifted.at(0, 0));
      case 1:
        List<JsonNode> line = new ArrayList<>();
        for (int i = 2 + random.nextInt(5); i > 0; i--) {
          line.add(shifted.at(own * random.nextGaussian(), own * random.nextGaussian()));
        }
        return shape("LineString", array(line));
      case 2:
        return shape("Polygon", array(List.of(star.ring(shifted, true))));
      case 3:
        return shape(
            "Polygon",
            array(
                List.of(
                    star.ring(shifted, false),
                    star.scaled(0.5).ring(shifted, random.nextBoolean()))));
      case 4:
        Frame apart = (x, y) -> shifted.at(x + 3 * own, y);
        return shape(
            "MultiPolygon",
            array(
                List.of(
                    array(List.of(star.ring(shifted, false))),
                    array(List.of(Star.random(random, own).ring(apart, false))))));
      default:
        return star.polygon(shifted);
    }
  }
}
