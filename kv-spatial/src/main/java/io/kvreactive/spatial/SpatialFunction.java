package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.base.Suppliers;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A function of shapes. The result is undefined if an argument is not an object. */
final class SpatialFunction implements ScalarFunction {
  /** The implementation of a function, which takes one shape for each argument. */
  interface Body {
    JsonNode call(ParsedShape[] shapes, Runnable checkpoint);
  }

  /** Positions from which on a call may take more than some milliseconds. */
  private static final int MANY_POSITIONS = 128;

  /** Product of the positions of both shapes from which on their comparison may take as long. */
  private static final long MANY_PAIRS = 1 << 16;

  /** A constant argument, parsed when it is first needed. */
  private static final class Constant {
    private final Supplier<ParsedShape> onGlobe;
    private final Supplier<ParsedShape> inPlane;
    private final int positions;
    private volatile boolean isParsed;

    Constant(JsonNode value) {
      onGlobe = Suppliers.memoize(() -> ParsedShape.of(value, GeospatialType.GEOGRAPHY));
      inPlane = Suppliers.memoize(() -> ParsedShape.of(value, GeospatialType.GEOMETRY));
      positions = positions(value);
    }

    ParsedShape shape(GeospatialType on) {
      ParsedShape shape = (on == GeospatialType.GEOGRAPHY ? onGlobe : inPlane).get();
      isParsed = true;
      return shape;
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
    int unparsed = 0;
    long pairs = 1;
    for (int i = 0; i < constants.length; i++) {
      if (!arguments[i].isObject()) {
        return MissingNode.getInstance();
      }
      Constant constant = constants[i];
      int positions = constant == null ? positions(arguments[i]) : constant.positions;
      unparsed += constant == null || !constant.isParsed ? positions : 0;
      pairs *= positions;
    }
    return unparsed < MANY_POSITIONS && pairs < MANY_PAIRS
        ? callNow(arguments, context)
        : context.longCall(() -> callNow(arguments, context));
  }

  /** Returns the number of positions of GeoJSON, up to some. */
  private static int positions(JsonNode shape) {
    return count(shape.path("coordinates"), 0);
  }

  private static int count(JsonNode coordinates, int depth) {
    if (depth == 3 || !coordinates.path(0).isArray()) {
      return coordinates.size();
    }
    int count = 0;
    for (int i = 0; i < coordinates.size() && count < MANY_POSITIONS; i++) {
      count += count(coordinates.get(i), depth + 1);
    }
    return count;
  }

  private JsonNode callNow(JsonNode[] arguments, EvaluationContext context) {
    ParsedShape[] shapes = new ParsedShape[constants.length];
    for (int i = 0; i < shapes.length; i++) {
      Constant constant = constants[i];
      shapes[i] =
          constant == null
              ? ParsedShape.of(arguments[i], context.geospatialType())
              : constant.shape(context.geospatialType());
    }
    try {
      return body.call(shapes, context::checkpoint);
    } catch (DocumentException | KvException | CancellationException e) {
      throw e; // by the checkpoint
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
      prepared[i] = value == null || !value.isObject() ? null : new Constant(value);
    }
    return new SpatialFunction(name, body, prepared);
  }
}
