package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.GeospatialType;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a JSON value, or the reason why the value is not a valid shape.
 *
 * @param shape the shape; null if the value is not a valid shape
 * @param reason a sentence for users; empty if the shape is valid
 */
record ParsedShape(@Nullable Shape shape, String reason) {

  /** Parses a value. Never throws. */
  static ParsedShape of(JsonNode value, GeospatialType on) {
    try {
      GeoJson json = GeoJsonReader.read(value, on);
      Shape shape = on == GeospatialType.GEOGRAPHY ? GlobeShapes.of(json) : PlaneShape.of(json);
      return new ParsedShape(shape, "");
    } catch (InvalidShapeException e) {
      return new ParsedShape(null, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      // thrown by a library that cannot compute with the coordinates
      return new ParsedShape(null, "The coordinates are not valid.");
    }
  }
}
