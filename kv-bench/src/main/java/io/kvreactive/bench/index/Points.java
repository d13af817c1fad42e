package io.kvreactive.bench.index;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Random points of the globe with a uniform density, equal for equal seeds. */
final class Points {
  private Points() {}

  /** A point in degrees. */
  record Point(String id, double longitude, double latitude) {
    /** The document of the point. */
    Document document() {
      return new Document(id, geoJson(), longitude);
    }

    GeoJson geoJson() {
      return new GeoJson("Point", List.of(longitude, latitude));
    }
  }

  /**
   * A document of the collection.
   *
   * @param at the point
   * @param n a number for a range index
   */
  record Document(String id, GeoJson at, double n) {}

  /** A point as GeoJSON. */
  record GeoJson(String type, List<Double> coordinates) {}

  static Stream<Point> all(long seed, String prefix, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    return Stream.iterate(0, number -> number + 1)
        .limit(count)
        .map(number -> point(random, prefix + number));
  }

  static Point point(SplittableRandom random, String id) {
    return new Point(
        id,
        random.nextDouble() * 360 - 180,
        Math.toDegrees(Math.asin(2 * random.nextDouble() - 1)));
  }
}
