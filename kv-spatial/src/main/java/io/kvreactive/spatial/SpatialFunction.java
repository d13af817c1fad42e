package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.base.Suppliers;
import io.kvreactive.index.GeospatialType;
import io.kvreactive.index.spi.EvaluationContext;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A function of shapes. The result is undefined if an argument is not an object. */
final class SpatialFunction implements ScalarFunction {
  /** The implementation of a function, which takes one shape for each argument. */
  interface Body {
    JsonNode call(ParsedShape[] shapes);
  }

  /** A constant argument, parsed on demand. */
  private record Constant(Supplier<ParsedShape> onGlobe, Supplier<ParsedShape> inPlane) {
    static Constant of(JsonNode value) {
      return new Constant(
          Suppliers.memoize(() -> ParsedShape.of(value, GeospatialType.GEOGRAPHY)),
          Suppliers.memoize(() -> ParsedShape.of(value, GeospatialType.GEOMETRY)));
    }

    ParsedShape shape(GeospatialType on) {
      return (on == GeospatialType.GEOGRAPHY ? onGlobe : inPlane).get();
    }
  }

  private final String name;
  private final Body body;
  private final @Nullable Constant[] constants;

  SpatialFunction(String name, int arguments, Body body) {
    this(name, body, new Constant[arguments]);
  }

  private SpatialFunction(String name, Body body, @Nullable Constant[] constants) {
    this.name = name;
    this.body = body;
    this.constants = constants;
  }

  @Override
  public String name() {
    return name;
  }

  /** Returns false: the value also depends on the geospatial type of the collection. */
  @Override
  public boolean deterministic() {
    return false;
  }

  @Override
  public boolean constantInQuery() {
    return true;
  }

  @Override
  public boolean ordersRows() {
    return name.equals(SpatialFunctions.DISTANCE);
  }

  @Override
  public int minArguments() {
    return constants.length;
  }

  @Override
  public int maxArguments() {
    return constants.length;
  }

  @Override
  public JsonNode call(JsonNode[] arguments, EvaluationContext context) {
    ParsedShape[] shapes = new ParsedShape[constants.length];
    for (int i = 0; i < shapes.length; i++) {
      if (!arguments[i].isObject()) {
        return MissingNode.getInstance();
      }
      Constant constant = constants[i];
      shapes[i] =
          constant == null
              ? ParsedShape.of(arguments[i], context.geospatialType())
              : constant.shape(context.geospatialType());
    }
    try {
      return body.call(shapes);
    } catch (RuntimeException e) {
      return MissingNode.getInstance(); // thrown by a library for extreme coordinates
    }
  }

  /** Returns a function that parses each constant argument once. */
  @Override
  public ScalarFunction prepare(ConstantArguments known) {
    @Nullable Constant[] prepared = new Constant[constants.length];
    for (int i = 0; i < prepared.length; i++) {
      JsonNode value = known.get(i);
      prepared[i] = value == null || !value.isObject() ? null : Constant.of(value);
    }
    return new SpatialFunction(name, body, prepared);
  }
}
