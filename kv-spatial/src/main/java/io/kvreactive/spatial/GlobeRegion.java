package io.kvreactive.spatial;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S1ChordAngle;
import com.google.common.geometry.S2Cap;
import com.google.common.geometry.S2Cell;
import com.google.common.geometry.S2LatLngRect;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Region;

/** The points of the sphere whose angle to a shape is at most a radius. */
final class GlobeRegion implements S2Region {
  private final GlobeShape shape;
  private final double radius;
  private final double radius2;

  /**
   * Creates the region around a shape.
   *
   * @param radius the radius in radians, more than 0
   */
  GlobeRegion(GlobeShape shape, double radius) {
    this.shape = shape;
    this.radius = radius;
    this.radius2 = length2(radius);
  }

  /** Returns the squared chord of an angle; above a half circle, a value larger than any chord. */
  private static double length2(double angle) {
    double chord = 2 * Math.sin(0.5 * angle);
    return angle >= Math.PI ? 5 : chord * chord;
  }

  @Override
  public S2Cap getCapBound() {
    S2Polygon polygon = shape.polygon();
    S2Cap bound = polygon == null ? capOfEdges() : polygon.getCapBound();
    double angle = bound.angle().radians() + radius + GlobeShape.TOUCH;
    return bound.isFull() || angle >= Math.PI
        ? S2Cap.full()
        : S2Cap.fromAxisAngle(bound.axis(), S1Angle.radians(angle));
  }

  /**
   * Returns a cap that contains all edges: the cap of their ends if it is convex, else the sphere.
   */
  private S2Cap capOfEdges() {
    S2Point sum = new S2Point(0, 0, 0);
    for (EdgeTree.Edge edge : shape.edges().edges()) {
      sum = S2Point.add(sum, S2Point.add(edge.from(), edge.to()));
    }
    if (sum.norm() < 1e-6) {
      return S2Cap.full();
    }
    S2Cap cap = S2Cap.fromAxisChord(S2Point.normalize(sum), S1ChordAngle.ZERO);
    for (EdgeTree.Edge edge : shape.edges().edges()) {
      cap = cap.addPoint(edge.from()).addPoint(edge.to());
    }
    return cap.angle().radians() < 1.5 ? cap : S2Cap.full();
  }

  @Override
  public S2LatLngRect getRectBound() {
    return getCapBound().getRectBound();
  }

  @Override
  public boolean contains(S2Cell cell) {
    S2Point center = cell.getCenter();
    if (shape.containsInterior(center) && !shape.edges().isNear(cell, GlobeShape.TOUCH2)) {
      return true;
    }
    double inner = radius - cell.getCapBound().angle().radians() - GlobeShape.TOUCH;
    return radius > Math.PI || (inner > 0 && shape.edges().isNear(center, length2(inner)));
  }

  @Override
  public boolean contains(S2Point point) {
    return shape.containsInterior(point) || shape.edges().isNear(point, radius2);
  }

  @Override
  public boolean mayIntersect(S2Cell cell) {
    return shape.containsInterior(cell.getCenter()) || shape.edges().isNear(cell, radius2);
  }
}
