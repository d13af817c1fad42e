package io.kvreactive.spatial;

import static java.util.Objects.requireNonNull;

import com.google.common.geometry.S2Error;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import io.kvreactive.spatial.EdgeTree.Edge;
import io.kvreactive.spatial.GeoJson.Ring;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.sf.geographiclib.Geodesic;
import net.sf.geographiclib.PolygonArea;

/**
 * Builds and validates shapes on the globe from coordinates. The interior of an outer ring is on
 * the left of its edges: a clockwise ring encloses the rest of the globe. The orientation of a hole
 * is ignored: the hole is the side of its ring away from the outer ring.
 */
final class GlobeShapes {
  /** Minimum angle in radians by which edges must be shorter than half of a great circle. */
  private static final double MIN_ANGLE_TO_ANTIPODE = 1e-3;

  private final GeoJson json;
  private final List<Edge> edges = new ArrayList<>();
  private final List<S2Point> samples = new ArrayList<>();
  private final List<S2Loop> loops = new ArrayList<>();
  private double area;

  private GlobeShapes(GeoJson json) {
    this.json = json;
  }

  static GlobeShape of(GeoJson json) throws InvalidShapeException {
    return new GlobeShapes(json).make();
  }

  private GlobeShape make() throws InvalidShapeException {
    S2Polygon polygon =
        switch (json.type()) {
          case POINT -> {
            S2Point point = point(json.line(), 0);
            edges.add(Edge.of(point, point));
            samples.add(point);
            yield null;
          }
          case LINE_STRING -> {
            line(distinct(json.line()));
            yield null;
          }
          case POLYGON, MULTI_POLYGON -> polygon();
        };
    double rounded = Math.max(0, area); // negative by rounding for tiny polygons
    return new GlobeShape(json, new EdgeTree(edges), samples, polygon, rounded);
  }

  /**
   * Returns the point of a position. All names of a pole or of an antimeridian point give the same
   * point.
   */
  static S2Point point(Ring ring, int position) {
    double lat = ring.y(position);
    double lon = Math.abs(lat) == 90 ? 0 : ring.x(position) == 180 ? -180 : ring.x(position);
    if (Math.abs(lat) == 90) {
      return new S2Point(0, 0, Math.signum(lat));
    }
    return S2LatLng.fromDegrees(lat, lon).toPoint();
  }

  /** Returns the points of a ring or line without consecutive duplicates. */
  private static List<S2Point> distinct(Ring ring) {
    List<S2Point> points = new ArrayList<>(ring.size());
    for (int i = 0; i < ring.size(); i++) {
      S2Point point = point(ring, i);
      if (points.isEmpty() || !points.get(points.size() - 1).equalsPoint(point)) {
        points.add(point);
      }
    }
    return points;
  }

  private void line(List<S2Point> points) throws InvalidShapeException {
    if (points.size() < 2) {
      throw new InvalidShapeException("A LineString must have at least 2 distinct points.");
    }
    samples.add(points.get(0));
    for (int i = 1; i < points.size(); i++) {
      add(points.get(i - 1), points.get(i));
    }
  }

  private void add(S2Point from, S2Point to) throws InvalidShapeException {
    if (S2Point.add(from, to).norm() < MIN_ANGLE_TO_ANTIPODE) {
      throw new InvalidShapeException("An edge must be shorter than half of the globe.");
    }
    edges.add(Edge.of(from, to));
  }

  /** The loops of a polygon, some of which are shared by polygons that are cut. */
  private record Loops(List<S2Loop> outer, List<S2Loop> holes) {}

  /** A ring with the positions that give its area. */
  private record Outline(S2Loop loop, PolygonArea positions) {}

  private S2Polygon polygon() throws InvalidShapeException {
    List<Ring> outerRings = json.polygons().stream().map(rings -> rings.get(0)).toList();
    AntimeridianRings cut = AntimeridianRings.of(outerRings);
    Loops joined = new Loops(new ArrayList<>(), new ArrayList<>());
    for (S2Loop loop : cut.loops()) {
      // around an area that was cut twice, a clockwise ring is the boundary of what is left out
      boolean isHole = cut.loops().size() > 1 && loop.getArea() > 2 * Math.PI;
      if (isHole) {
        loop.invert();
      }
      area += (isHole ? -1 : 1) * area(outline(loop), false);
      (isHole ? joined.holes : joined.outer).add(loop);
      loops.add(loop);
    }
    List<Loops> polygons = new ArrayList<>(List.of(joined));
    for (int i = 0; i < outerRings.size(); i++) {
      Loops own = new Loops(joined.outer, new ArrayList<>());
      if (!cut.joined().get(i)) {
        Outline outer = outline(outerRings.get(i));
        own = new Loops(List.of(outer.loop), own.holes);
        loops.add(outer.loop);
        area += area(outer, false);
      }
      if (own.outer.isEmpty()) {
        throw new InvalidShapeException("The rings along the antimeridian do not enclose an area.");
      }
      List<Ring> rings = json.polygons().get(i);
      for (Outline hole : outlines(rings.subList(1, rings.size()))) {
        hole(hole, own.outer.get(0));
        own.holes.add(hole.loop);
      }
      polygons.add(own);
    }
    S2Polygon polygon = new S2Polygon();
    polygon.initNested(new ArrayList<>(loops));
    S2Error error = new S2Error();
    if (polygon.findValidationError(error)) {
      throw new InvalidShapeException(new RingErrors(json, polygon).message(error));
    }
    checkNesting(polygons, polygon);
    for (S2Loop loop : loops) {
      samples.add(loop.vertex(0));
      for (int i = 0; i < loop.numVertices(); i++) {
        add(loop.orientedVertex(i), loop.orientedVertex(i + 1));
      }
    }
    return polygon;
  }

  private static List<Outline> outlines(List<Ring> rings) throws InvalidShapeException {
    AntimeridianRings cut = AntimeridianRings.of(rings);
    List<Outline> outlines = new ArrayList<>();
    cut.loops().forEach(loop -> outlines.add(outline(loop)));
    for (int i = 0; i < rings.size(); i++) {
      if (!cut.joined().get(i)) {
        outlines.add(outline(rings.get(i)));
      }
    }
    return outlines;
  }

  private static Outline outline(Ring ring) throws InvalidShapeException {
    List<S2Point> points = distinct(ring);
    points.remove(points.size() - 1); // equals the first point
    if (points.size() < 3) {
      throw new InvalidShapeException("A ring must have at least 3 distinct points.");
    }
    for (int i = 0; i < points.size(); i++) {
      if (S2Point.add(points.get(i), points.get((i + 1) % points.size())).norm()
          < MIN_ANGLE_TO_ANTIPODE) {
        throw new InvalidShapeException("An edge must be shorter than half of the globe.");
      }
    }
    PolygonArea positions = new PolygonArea(Geodesic.WGS84, false);
    for (int i = 0; i < ring.size() - 1; i++) {
      positions.AddPoint(ring.y(i), ring.x(i));
    }
    return new Outline(new S2Loop(points), positions);
  }

  private static Outline outline(S2Loop loop) {
    PolygonArea positions = new PolygonArea(Geodesic.WGS84, false);
    for (S2Point vertex : loop.vertices()) {
      S2LatLng place = new S2LatLng(vertex);
      positions.AddPoint(place.latDegrees(), place.lngDegrees());
    }
    return new Outline(loop, positions);
  }

  private void hole(Outline hole, S2Loop outer) {
    boolean inverted = containsRingOf(hole.loop, outer);
    if (inverted) {
      hole.loop.invert();
    }
    loops.add(hole.loop);
    area -= area(hole, inverted);
  }

  /**
   * Returns true if the outer ring's first vertex that is not on the hole's ring is inside the
   * hole's ring.
   */
  private static boolean containsRingOf(S2Loop hole, S2Loop outer) {
    for (S2Point vertex : outer.vertices()) {
      if (!hole.vertices().contains(vertex)) {
        return hole.contains(vertex);
      }
    }
    return false;
  }

  /**
   * Checks that outer rings are not inside of polygons, and that holes are in their own polygon.
   */
  private static void checkNesting(List<Loops> polygons, S2Polygon polygon)
      throws InvalidShapeException {
    IdentityHashMap<S2Loop, Integer> numbers = new IdentityHashMap<>();
    double total = 0;
    for (int i = 0; i < polygon.numLoops(); i++) {
      S2Loop loop = polygon.loop(i);
      numbers.put(loop, i);
      total += (loop.isHole() ? -1 : 1) * loop.getArea();
    }
    for (Loops own : polygons) {
      Set<Integer> outer = new HashSet<>();
      for (S2Loop loop : own.outer) {
        if (loop.isHole()) {
          throw new InvalidShapeException("Polygons must not overlap.");
        }
        outer.add(requireNonNull(numbers.get(loop)));
      }
      for (S2Loop hole : own.holes) {
        if (!outer.contains(polygon.getParent(requireNonNull(numbers.get(hole))))) {
          throw new InvalidShapeException("A hole must be inside of the outer ring.");
        }
      }
    }
    // Two polygons can cover the globe together, without crossing and without nesting.
    if (total > 4 * Math.PI + 1e-9) {
      throw new InvalidShapeException("Polygons must not overlap.");
    }
  }

  /**
   * Returns the area in square metres on the left of a ring, or on the right. The loop tells
   * whether that is the small or the large side: the sign of the area of a ring of less than about
   * a square metre may be a rounding error.
   *
   * @param outline the ring, whose loop has the side on its left
   */
  private static double area(Outline outline, boolean right) {
    double globe = Geodesic.WGS84.EllipsoidArea();
    double signed = outline.positions.Compute(right, true).area;
    double expected = outline.loop.getArea() / (4 * Math.PI) * globe;
    return signed + globe * Math.rint((expected - signed) / globe);
  }
}
