package io.kvreactive.documents;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of GeoJSON values.
 *
 * @param path the path with its terminal, such as {@code /location/*}
 * @param types the types of shapes: {@code Point}, {@code Polygon}, {@code MultiPolygon}, {@code
 *     LineString}
 * @param boundingBox the covered rectangle: required for collections of the type Geometry, null for
 *     others
 */
public record SpatialIndex(String path, List<String> types, @Nullable BoundingBox boundingBox) {
  public SpatialIndex {
    types = List.copyOf(types);
  }

  /** Returns an index for a collection of the type Geography. */
  public static SpatialIndex of(String path, String... types) {
    return new SpatialIndex(path, List.of(types), null);
  }
}
