package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/** Random GeoJSON points, lines and polygons of all sizes on the whole globe. */
final class RandomShapes {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private final Random random;

  RandomShapes(Random random) {
    this.random = random;
  }

  ObjectNode point() {
    return shape("Point", position(longitude(), latitude()));
  }

  ObjectNode any() {
    return switch (random.nextInt(6)) {
      case 0 -> line();
      case 1, 2 -> polygon();
      default -> point();
    };
  }

  ObjectNode line() {
    ArrayNode positions = JSON.arrayNode();
    double longitude = longitude();
    double latitude = latitude() * 0.8;
    for (int i = 0; i < 2 + random.nextInt(4); i++) {
      positions.add(position(wrapped(longitude + random.nextDouble() * 20), latitude));
      latitude = Math.min(89, latitude + random.nextDouble() * 5);
    }
    return shape("LineString", positions);
  }

  /** A polygon around a centre, counter-clockwise, also across the date line. */
  ObjectNode polygon() {
    double radius = Math.pow(10, random.nextDouble() * 3 - 1.5); // degrees, 0.03 to 30
    double longitude = longitude();
    double latitude = Math.max(-89 + radius, Math.min(89 - radius, latitude()));
    ArrayNode ring = JSON.arrayNode();
    int corners = 3 + random.nextInt(6);
    for (int i = 0; i <= corners; i++) {
      double angle = 2 * Math.PI * (i % corners) / corners;
      ring.add(
          position(
              wrapped(longitude + radius * Math.cos(angle)), latitude + radius * Math.sin(angle)));
    }
    return shape("Polygon", JSON.arrayNode().add(ring));
  }

  private double longitude() {
    return random.nextInt(4) == 0
        ? wrapped(180 + random.nextGaussian())
        : random.nextDouble() * 360 - 180;
  }

  private double latitude() {
    return random.nextInt(6) == 0
        ? Math.copySign(90 - Math.abs(random.nextDouble()), random.nextDouble() - 0.5)
        : Math.toDegrees(Math.asin(2 * random.nextDouble() - 1));
  }

  private static double wrapped(double longitude) {
    double turned = (longitude + 180) % 360;
    return turned < 0 ? turned + 180 : turned - 180;
  }

  private static ArrayNode position(double longitude, double latitude) {
    return JSON.arrayNode().add(longitude).add(latitude);
  }

  private static ObjectNode shape(String type, ArrayNode coordinates) {
    ObjectNode shape = JSON.objectNode().put("type", type);
    shape.set("coordinates", coordinates);
    return shape;
  }
}
