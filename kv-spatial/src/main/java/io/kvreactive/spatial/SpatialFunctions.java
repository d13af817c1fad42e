package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/**
 * The spatial functions. Except for ST_ISVALID and ST_ISVALIDDETAILED, a function is undefined if
 * an argument is not a valid shape.
 */
final class SpatialFunctions {
  static final String DISTANCE = "ST_DISTANCE";

  private SpatialFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        ofShapes(DISTANCE, (a, b, checkpoint) -> number(a.distance(b))),
        ofShapes("ST_WITHIN", (a, b, checkpoint) -> BooleanNode.valueOf(a.isWithin(b, checkpoint))),
        ofShapes("ST_INTERSECTS", (a, b, checkpoint) -> BooleanNode.valueOf(a.intersects(b))),
        new SpatialFunction("ST_AREA", 1, (shapes, checkpoint) -> area(shapes[0])),
        new SpatialFunction(
            "ST_ISVALID",
            1,
            (shapes, checkpoint) -> BooleanNode.valueOf(shapes[0].shape() != null)),
        new SpatialFunction("ST_ISVALIDDETAILED", 1, (shapes, checkpoint) -> details(shapes[0])));
  }

  private interface Operation {
    JsonNode apply(Shape a, Shape b, Runnable checkpoint);
  }

  private static ScalarFunction ofShapes(String name, Operation operation) {
    return new SpatialFunction(
        name,
        2,
        (shapes, checkpoint) -> {
          Shape a = shapes[0].shape();
          Shape b = shapes[1].shape();
          return a == null || b == null
              ? MissingNode.getInstance()
              : operation.apply(a, b, checkpoint);
        });
  }

  private static JsonNode area(ParsedShape parsed) {
    Shape shape = parsed.shape();
    return shape == null ? MissingNode.getInstance() : number(shape.area());
  }

  private static JsonNode number(double value) {
    return Double.isFinite(value) ? DoubleNode.valueOf(value) : MissingNode.getInstance();
  }

  private static JsonNode details(ParsedShape parsed) {
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    details.put("valid", parsed.shape() != null);
    if (parsed.shape() == null) {
      details.put("reason", parsed.reason());
    }
    return details;
  }
}
