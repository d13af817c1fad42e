package io.kvreactive.spatial;

import java.util.List;

/**
 * The raw coordinates of a GeoJSON object, before a shape is built.
 *
 * @param polygons the polygons, each a list of rings, the outer ring first. A point is a polygon
 *     with one ring of one position, and a line string a polygon with one ring of its positions
 */
record GeoJson(ShapeType type, List<List<Ring>> polygons) {
  /** The types that spatial functions and indexes support. */
  enum ShapeType {
    POINT("Point"),
    LINE_STRING("LineString"),
    POLYGON("Polygon"),
    MULTI_POLYGON("MultiPolygon");

    private final String text;

    ShapeType(String text) {
      this.text = text;
    }

    /** Returns the name of the type in GeoJSON and in indexing policies. */
    String text() {
      return text;
    }

    /** Returns true if shapes of this type have an area. */
    boolean isArea() {
      return this == POLYGON || this == MULTI_POLYGON;
    }
  }

  /**
   * A sequence of positions. The last position of a polygon's ring equals the first.
   *
   * @param coordinates x and y of each position in turn: longitude and latitude on the globe
   */
  record Ring(double[] coordinates) {
    int size() {
      return coordinates.length / 2;
    }

    double x(int position) {
      return coordinates[2 * position];
    }

    double y(int position) {
      return coordinates[2 * position + 1];
    }
  }

  /** Returns the first ring of the first polygon: the only one of a point and of a line string. */
  Ring line() {
    return polygons.get(0).get(0);
  }
}
