package io.kvreactive.examples.nearby;

import java.util.List;

/**
 * A place, as the collection stores it.
 *
 * @param id the id, such as "Europe-Andorra"
 * @param kind "city" or "point"
 * @param location the location as a GeoJSON point
 */
public record Place(String id, String kind, Point location) {
  /**
   * A GeoJSON point.
   *
   * @param type "Point"
   * @param coordinates the longitude and the latitude in degrees
   */
  public record Point(String type, List<Double> coordinates) {}

  static Place of(String id, String kind, double longitude, double latitude) {
    return new Place(id, kind, new Point("Point", List.of(longitude, latitude)));
  }
}
