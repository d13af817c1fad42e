package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.internal.functions.WorkCounter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/**
 * Calls spatial functions with shapes of a given size and returns the work. A class loader that
 * counts loads this class, so that it has types of the JDK only in its signature.
 */
public final class ShapeCostProbe implements BiFunction<String, Object[], Long> {
  /** Shapes by name, each for a number of positions. */
  static final Map<String, IntFunction<JsonNode>> SHAPES = shapes();

  private final Map<String, JsonNode> cached = new HashMap<>();

  private interface Position {
    JsonNode at(int i);
  }

  private static Map<String, IntFunction<JsonNode>> shapes() {
    Map<String, IntFunction<JsonNode>> all = new LinkedHashMap<>();
    all.put("point", n -> TestShapes.shape("Point", TestShapes.position(5, 5)));
    all.put("circle", n -> polygon(n, i -> polar(10, i, n)));
    all.put("star", n -> polygon(n, i -> polar(i % 2 == 0 ? 10 : 1, i, n)));
    all.put("comb", n -> comb(n, TestShapes::position));
    all.put("other comb", n -> comb(n, (x, y) -> TestShapes.position(y, -x)));
    all.put("zigzag", n -> line(n, i -> TestShapes.position(20.0 * i / n - 10, i % 2 * 20 - 10)));
    all.put("other zigzag", n -> line(n, i -> TestShapes.position(i % 2 * 20, 20.0 * i / n - 10)));
    all.put("straight line", n -> line(n, i -> TestShapes.position(20.0 * i / n - 10, 0)));
    all.put("one edge", n -> line(n, i -> TestShapes.position(i % 2 * 20 - 10, 0)));
    all.put(
        "overlapping edges",
        n -> line(n, i -> TestShapes.position(20.0 * (i * 7919L % n) / n - 10, 0)));
    all.put("edges through a point", n -> line(n, i -> polar(10, i * (n / 2) + i / 2, n)));
    all.put("spiral", n -> line(n, i -> polar(0.01 * i, i, 64)));
    all.put("triangles", n -> multiPolygon(n / 4, ShapeCostProbe::triangle));
    all.put("rings in rings", n -> multiPolygon(n / 8, i -> nested(i, n / 4)));
    all.put("along the antimeridian", ShapeCostProbe::alongTheAntimeridian);
    all.put("cut at the antimeridian", ShapeCostProbe::cut);
    return all;
  }

  private static JsonNode polar(double radius, int i, int n) {
    double angle = 2 * Math.PI * i / n;
    return TestShapes.position(radius * Math.cos(angle), radius * Math.sin(angle));
  }

  private static List<JsonNode> positions(int count, Position position) {
    List<JsonNode> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(position.at(i));
    }
    return all;
  }

  private static JsonNode line(int n, Position position) {
    return TestShapes.shape("LineString", TestShapes.array(positions(n, position)));
  }

  private static JsonNode ring(List<JsonNode> positions) {
    List<JsonNode> closed = new ArrayList<>(positions);
    closed.add(positions.get(0));
    return TestShapes.array(closed);
  }

  private static JsonNode polygon(int n, Position position) {
    return TestShapes.shape("Polygon", TestShapes.array(List.of(ring(positions(n, position)))));
  }

  private static JsonNode multiPolygon(int count, Position rings) {
    return TestShapes.shape("MultiPolygon", TestShapes.array(positions(count, rings)));
  }

  private static JsonNode comb(int n, TestShapes.Frame frame) {
    List<JsonNode> ring = new ArrayList<>(List.of(frame.at(-10, -11), frame.at(10, -11)));
    for (int i = n - 2; i > 0; i--) {
      ring.add(frame.at(20.0 * i / n - 10, i % 2 * 20 - 10));
    }
    return TestShapes.shape("Polygon", TestShapes.array(List.of(ring(ring))));
  }

  private static JsonNode triangle(double x, double y, double size, boolean clockwise) {
    JsonNode low = TestShapes.position(x - size, y - size);
    JsonNode right = TestShapes.position(x + size, y - size);
    JsonNode high = TestShapes.position(x, y + size);
    return ring(clockwise ? List.of(low, high, right) : List.of(low, right, high));
  }

  private static JsonNode triangle(int i) {
    return TestShapes.array(List.of(triangle(i % 16 - 8, i / 16.0 - 8, 0.02, false)));
  }

  private static JsonNode nested(int i, int rings) {
    return TestShapes.array(
        List.of(
            triangle(0, 0, 10 - 20.0 * i / rings, false),
            triangle(0, 0, 10 - 20.0 * (i + 0.5) / rings, true)));
  }

  /** Returns an invalid polygon with edges that overlap along the antimeridian. */
  private static JsonNode alongTheAntimeridian(int n) {
    return polygon(
        n,
        i ->
            i == 0 ? TestShapes.position(170, 0) : TestShapes.position(180, (i % 2 - 0.5) * i / n));
  }

  /** Returns two polygons with a common boundary along the antimeridian. */
  private static JsonNode cut(int n) {
    int half = n / 2;
    return multiPolygon(
        2,
        side ->
            TestShapes.array(
                List.of(
                    ring(
                        positions(
                            half,
                            i ->
                                i == 0
                                    ? TestShapes.position(side == 0 ? 170 : -170, side)
                                    : TestShapes.position(
                                        side == 0 ? 180 : -180,
                                        (side == 0 ? 1 : -1) * (40.0 * i / half - 20)))))));
  }

  /** Records the most work between two checkpoints. */
  private static final class Context extends TestShapes.Context {
    private long last;
    private long most;

    Context(GeospatialType type) {
      super(type);
    }

    @Override
    public void checkpoint() {
      long work = WorkCounter.work();
      most = Math.max(most, work - last);
      last = work;
    }
  }

  /**
   * Calls a function.
   *
   * @param name the name of the function
   * @param arguments the geospatial type, the number of positions, and the names of the shapes
   * @return the most work that the call does between two checkpoints
   */
  @Override
  public Long apply(String name, Object[] arguments) {
    JsonNode[] shapes = new JsonNode[arguments.length - 2];
    int size = (Integer) arguments[1];
    for (int i = 0; i < shapes.length; i++) {
      String shape = (String) arguments[i + 2];
      shapes[i] = cached.computeIfAbsent(shape + size, key -> SHAPES.get(shape).apply(size));
    }
    Context context = new Context(GeospatialType.valueOf((String) arguments[0]));
    WorkCounter.start();
    var unused = TestShapes.function(name).call(shapes, context);
    context.checkpoint();
    return context.most;
  }
}
