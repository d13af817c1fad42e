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
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
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
  private static S2Point point(Ring ring, int position) {
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

  private S2Polygon polygon() throws InvalidShapeException {
    for (List<Ring> rings : json.polygons()) {
      S2Loop outer = loop(rings.get(0));
      loops.add(outer);
      area += area(rings.get(0), outer, false);
      for (Ring ring : rings.subList(1, rings.size())) {
        hole(ring, outer);
      }
    }
    List<S2Loop> all = List.copyOf(loops);
    S2Polygon polygon = new S2Polygon();
    polygon.initNested(new ArrayList<>(loops));
    S2Error error = new S2Error();
    if (polygon.findValidationError(error)) {
      throw new InvalidShapeException("The polygon is not valid: " + error.text());
    }
    checkNesting(all, polygon);
    for (S2Loop loop : all) {
      samples.add(loop.vertex(0));
      for (int i = 0; i < loop.numVertices(); i++) {
        add(loop.orientedVertex(i), loop.orientedVertex(i + 1));
      }
    }
    return polygon;
  }

  private static S2Loop loop(Ring ring) throws InvalidShapeException {
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
    return new S2Loop(points);
  }

  private void hole(Ring ring, S2Loop outer) throws InvalidShapeException {
    S2Loop hole = loop(ring);
    boolean inverted = containsRingOf(hole, outer);
    if (inverted) {
      hole.invert();
    }
    loops.add(hole);
    area -= area(ring, hole, inverted);
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
  private void checkNesting(List<S2Loop> all, S2Polygon polygon) throws InvalidShapeException {
    IdentityHashMap<S2Loop, Integer> numbers = new IdentityHashMap<>();
    for (int i = 0; i < polygon.numLoops(); i++) {
      numbers.put(polygon.loop(i), i);
    }
    Iterator<S2Loop> loop = all.iterator();
    double total = 0;
    for (List<Ring> rings : json.polygons()) {
      S2Loop outer = loop.next();
      total += outer.getArea();
      if (outer.isHole()) {
        throw new InvalidShapeException("Polygons must not overlap.");
      }
      for (int i = 1; i < rings.size(); i++) {
        S2Loop hole = loop.next();
        total -= hole.getArea();
        int parent = polygon.getParent(requireNonNull(numbers.get(hole)));
        if (parent != requireNonNull(numbers.get(outer))) {
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
   * @param loop the same ring, with the side on its left
   */
  private static double area(Ring ring, S2Loop loop, boolean right) {
    PolygonArea polygon = new PolygonArea(Geodesic.WGS84, false);
    for (int i = 0; i < ring.size() - 1; i++) {
      polygon.AddPoint(ring.y(i), ring.x(i));
    }
    double globe = Geodesic.WGS84.EllipsoidArea();
    double signed = polygon.Compute(right, true).area;
    double expected = loop.getArea() / (4 * Math.PI) * globe;
    return signed + globe * Math.rint((expected - signed) / globe);
  }
}
