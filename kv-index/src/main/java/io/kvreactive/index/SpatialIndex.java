package io.kvreactive.index;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of GeoJSON values.
 *
 * @param path with its terminal, such as {@code /location/*}
 * @param types of {@code Point}, {@code Polygon}, {@code MultiPolygon}, {@code LineString}
 * @param boundingBox for collections of the type Geometry only, which need it
 */
public record SpatialIndex(String path, List<String> types, @Nullable BoundingBox boundingBox) {
  public SpatialIndex {
    types = List.copyOf(types);
  }

  /** An index of a collection of the type Geography. */
  public static SpatialIndex of(String path, String... types) {
    return new SpatialIndex(path, List.of(types), null);
  }
}
