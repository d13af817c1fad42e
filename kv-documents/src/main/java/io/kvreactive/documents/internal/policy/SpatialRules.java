package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.internal.path.PathParser;
import java.util.List;
import java.util.Set;

/** Validates spatial indexes. */
final class SpatialRules {
  static final Set<String> TYPES = Set.of("Point", "Polygon", "MultiPolygon", "LineString");

  private SpatialRules() {}

  static void check(List<SpatialIndex> indexes, GeospatialType geospatialType) {
    for (SpatialIndex index : indexes) {
      String path = PathParser.rule(index.path()).text();
      if (index.types().isEmpty()) {
        throw invalid("The spatial index of '" + path + "' has no types.");
      }
      for (String type : index.types()) {
        if (!TYPES.contains(type)) {
          throw invalid(
              "The spatial type '"
                  + AbbreviatedValue.text(type)
                  + "' of '"
                  + path
                  + "' is not one of Point, Polygon, MultiPolygon, LineString.");
        }
      }
      box(path, index, geospatialType);
    }
  }

  private static void box(String path, SpatialIndex index, GeospatialType geospatialType) {
    BoundingBox box = index.boundingBox();
    if (geospatialType == GeospatialType.GEOGRAPHY) {
      if (box != null) {
        throw invalid("boundingBox of '" + path + "' is only allowed with the type Geometry.");
      }
      return;
    }
    if (box == null) {
      throw invalid("boundingBox of '" + path + "' is missing, which the type Geometry needs.");
    }
    if (!isExtent(box.xmax() - box.xmin()) || !isExtent(box.ymax() - box.ymin())) {
      throw invalid(
          "boundingBox of '"
              + path
              + "' needs xmin < xmax and ymin < ymax, with finite differences, but is "
              + box
              + ".");
    }
  }

  private static boolean isExtent(double extent) {
    return extent > 0 && Double.isFinite(extent);
  }
}
