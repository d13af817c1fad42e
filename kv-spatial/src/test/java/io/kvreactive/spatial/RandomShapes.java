package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;

/** Random GeoJSON shapes of all types and sizes on the whole globe. Nearly all are valid there. */
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
    return switch (random.nextInt(12)) {
      case 0, 1 -> line();
      case 2, 3 -> polygon();
      case 4 -> polygonWithHole();
      case 5 -> restOfGlobe();
      case 6 -> multiPolygon();
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
    return shape("Polygon", JSON.arrayNode().add(new Disk().ring(1, false)));
  }

  private ObjectNode polygonWithHole() {
    Disk disk = new Disk();
    return shape(
        "Polygon",
        JSON.arrayNode().add(disk.ring(1, false)).add(disk.ring(0.3, random.nextBoolean())));
  }

  /** A clockwise polygon: on the globe, all that is outside of it. */
  private ObjectNode restOfGlobe() {
    return shape("Polygon", JSON.arrayNode().add(new Disk().ring(1, true)));
  }

  private ObjectNode multiPolygon() {
    Disk disk = new Disk();
    ArrayNode first =
        JSON.arrayNode().add(disk.ring(1, false)).add(disk.ring(0.3, random.nextBoolean()));
    disk.longitude += 3 * disk.radius;
    return shape(
        "MultiPolygon", JSON.arrayNode().add(first).add(JSON.arrayNode().add(disk.ring(1, false))));
  }

  /** A regular polygon in degrees. */
  private final class Disk {
    private final double radius = Math.pow(10, random.nextDouble() * 3 - 1.5); // 0.03 to 30
    private final double latitude =
        Math.max(-89 + radius, Math.min(89 - radius, RandomShapes.this.latitude()));
    private final int corners = 3 + random.nextInt(6);
    private double longitude = RandomShapes.this.longitude();

    ArrayNode ring(double scale, boolean clockwise) {
      ArrayNode ring = JSON.arrayNode();
      for (int i = 0; i <= corners; i++) {
        double angle = 2 * Math.PI * (i % corners) / corners * (clockwise ? -1 : 1);
        ring.add(
            position(
                wrapped(longitude + scale * radius * Math.cos(angle)),
                latitude + scale * radius * Math.sin(angle)));
      }
      return ring;
    }
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
