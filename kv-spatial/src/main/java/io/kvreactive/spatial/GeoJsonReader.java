package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.spatial.GeoJson.Ring;
import io.kvreactive.spatial.GeoJson.ShapeType;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads GeoJSON objects strictly: a known type, finite numbers, positions in range, closed rings.
 * Members other than {@code type} and {@code coordinates} are ignored, as are the numbers of a
 * position after the second.
 */
final class GeoJsonReader {
  /** Maximum number of positions of a polygon, all rings together. */
  static final int MAX_POLYGON_POSITIONS = 4096;

  /** Maximum number of positions of a line string and of a multi-polygon. */
  static final int MAX_POSITIONS = 8192;

  /** Maximum number of rings of a shape: the checks of their nesting are quadratic. */
  static final int MAX_RINGS = 1024;

  /** Maximum number of numbers of a position. */
  private static final int MAX_NUMBERS = 16;

  /** Maximum absolute value of a coordinate in the plane, so that areas stay finite. */
  static final double MAX_PLANE_COORDINATE = 1e100;

  private final boolean globe;
  private int positions;
  private int rings;

  private GeoJsonReader(boolean globe) {
    this.globe = globe;
  }

  /**
   * Reads a value.
   *
   * @throws InvalidShapeException if the value is not a GeoJSON object of a supported type, or its
   *     coordinates are not valid
   */
  static GeoJson read(JsonNode value, GeospatialType on) throws InvalidShapeException {
    if (!value.isObject()) {
      throw new InvalidShapeException("A GeoJSON value must be an object.");
    }
    ShapeType type = type(value.path("type"));
    JsonNode coordinates = value.path("coordinates");
    if (!coordinates.isArray()) {
      throw new InvalidShapeException("The member 'coordinates' must be an array.");
    }
    GeoJsonReader reader = new GeoJsonReader(on == GeospatialType.GEOGRAPHY);
    return new GeoJson(
        type,
        switch (type) {
          case POINT -> List.of(List.of(reader.point(coordinates)));
          case LINE_STRING -> List.of(List.of(reader.line(coordinates)));
          case POLYGON -> List.of(reader.polygon(coordinates));
          case MULTI_POLYGON -> reader.polygons(coordinates);
        });
  }

  private static ShapeType type(JsonNode name) throws InvalidShapeException {
    for (ShapeType type : ShapeType.values()) {
      if (name.isTextual() && type.text().equals(name.textValue())) {
        return type;
      }
    }
    throw new InvalidShapeException(
        "The member 'type' must be one of Point, LineString, Polygon, MultiPolygon.");
  }

  private Ring point(JsonNode position) throws InvalidShapeException {
    double[] coordinates = new double[2];
    read(position, coordinates, 0);
    return new Ring(coordinates);
  }

  private Ring line(JsonNode array) throws InvalidShapeException {
    if (array.size() < 2) {
      throw new InvalidShapeException("A LineString must have at least 2 positions.");
    }
    return positions(array);
  }

  private List<List<Ring>> polygons(JsonNode array) throws InvalidShapeException {
    if (array.isEmpty()) {
      throw new InvalidShapeException("A MultiPolygon must have at least 1 polygon.");
    }
    List<List<Ring>> polygons = new ArrayList<>();
    for (JsonNode polygon : array) {
      polygons.add(polygon(polygon));
    }
    return polygons;
  }

  private List<Ring> polygon(JsonNode array) throws InvalidShapeException {
    if (!array.isArray() || array.isEmpty()) {
      throw new InvalidShapeException("A polygon must be an array of at least 1 ring.");
    }
    int before = positions;
    List<Ring> polygon = new ArrayList<>();
    for (JsonNode ring : array) {
      if (++rings > MAX_RINGS) {
        throw new InvalidShapeException("A shape must have at most " + MAX_RINGS + " rings.");
      }
      polygon.add(ring(ring));
      if (positions - before > MAX_POLYGON_POSITIONS) {
        throw new InvalidShapeException(
            "A polygon must have at most " + MAX_POLYGON_POSITIONS + " points.");
      }
    }
    return polygon;
  }

  private Ring ring(JsonNode array) throws InvalidShapeException {
    if (!array.isArray() || array.size() < 4) {
      throw new InvalidShapeException("A ring must be an array of at least 4 positions.");
    }
    Ring ring = positions(array);
    int last = ring.size() - 1;
    if (ring.x(0) != ring.x(last) || ring.y(0) != ring.y(last)) {
      throw new InvalidShapeException("The last position of a ring must equal the first.");
    }
    return ring;
  }

  private Ring positions(JsonNode array) throws InvalidShapeException {
    positions += Math.min(array.size(), MAX_POSITIONS + 1);
    if (positions > MAX_POSITIONS) {
      throw new InvalidShapeException("A shape must have at most " + MAX_POSITIONS + " points.");
    }
    double[] coordinates = new double[2 * array.size()];
    for (int i = 0; i < array.size(); i++) {
      read(array.get(i), coordinates, 2 * i);
    }
    return new Ring(coordinates);
  }

  private void read(JsonNode position, double[] into, int at) throws InvalidShapeException {
    if (!position.isArray() || position.size() < 2 || position.size() > MAX_NUMBERS) {
      throw new InvalidShapeException("A position must be an array of at least 2 numbers.");
    }
    for (JsonNode number : position) {
      if (!number.isNumber()) {
        throw new InvalidShapeException("A position must be an array of at least 2 numbers.");
      }
    }
    into[at] = number(position.get(0));
    into[at + 1] = number(position.get(1));
    if (globe && Math.abs(into[at + 1]) > 90) {
      throw new InvalidShapeException("Latitude values must be between -90 and 90 degrees.");
    }
    if (globe && Math.abs(into[at]) > 180) {
      throw new InvalidShapeException("Longitude values must be between -180 and 180 degrees.");
    }
  }

  private static double number(JsonNode node) throws InvalidShapeException {
    double number = node.doubleValue();
    // not written as >, which NaN would pass
    if (!(Math.abs(number) <= MAX_PLANE_COORDINATE)) {
      throw new InvalidShapeException("Coordinates must be finite and at most 1e100.");
    }
    return number;
  }
}
