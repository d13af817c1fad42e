package io.kvreactive.spatial;

import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import io.kvreactive.spatial.GeoJson.ShapeType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A shape on the WGS-84 globe. Positions are compared on a sphere with the geodetic latitudes and
 * longitudes of the globe, where edges are arcs of great circles. Distances are geodesics of the
 * ellipsoid: to the nearest point of the edges for a point, else between the points that are
 * nearest on the sphere. Points closer than about 6 micrometres are regarded as equal, so that
 * rounding does not lose the boundary of a shape.
 */
final class GlobeShape implements Shape {
  /** Angle in radians below which points are regarded as equal. */
  static final double TOUCH = 1e-12;

  /** Squared chord of {@link #TOUCH}. */
  static final double TOUCH2 = TOUCH * TOUCH;

  private final ShapeType type;
  private final GeoJson json;
  private final EdgeTree edges;
  private final List<S2Point> samples;
  private final @Nullable S2Polygon polygon;
  private final double area;

  /**
   * Creates a shape.
   *
   * @param samples a point of each line and of each ring
   * @param polygon the area; null for points and lines
   */
  GlobeShape(
      GeoJson json,
      EdgeTree edges,
      List<S2Point> samples,
      @Nullable S2Polygon polygon,
      double area) {
    this.type = json.type();
    this.json = json;
    this.edges = edges;
    this.samples = List.copyOf(samples);
    this.polygon = polygon;
    this.area = area;
  }

  @Override
  public ShapeType type() {
    return type;
  }

  EdgeTree edges() {
    return edges;
  }

  List<S2Point> samples() {
    return samples;
  }

  @Nullable S2Polygon polygon() {
    return polygon;
  }

  /** Returns true if a point belongs to this shape, including its boundary. */
  boolean covers(S2Point point) {
    return containsInterior(point) || edges.isNear(point, TOUCH2);
  }

  /**
   * Returns true if a point is in the interior of a polygon. The result is arbitrary near the
   * boundary.
   */
  boolean containsInterior(S2Point point) {
    return polygon != null && polygon.contains(point);
  }

  /** Returns the distance in metres. */
  @Override
  public double distance(Shape other) {
    GlobeShape that = (GlobeShape) other;
    if (type == ShapeType.POINT && that.type == ShapeType.POINT) {
      GeoJson.Ring a = json.line();
      GeoJson.Ring b = that.json.line();
      return GlobeDistance.geodesic(a.y(0), a.x(0), b.y(0), b.x(0));
    }
    if (containsSampleOf(that) || that.containsSampleOf(this)) {
      return 0;
    }
    EdgeTree.Nearest nearest = edges.nearest(that.edges, TOUCH2);
    if (nearest.length2() <= TOUCH2) {
      return 0;
    }
    if (type == ShapeType.POINT) {
      return new GlobeDistance(nearest.point()).to(that.edges, nearest.length2());
    }
    if (that.type == ShapeType.POINT) {
      return new GlobeDistance(nearest.otherPoint()).to(edges, nearest.length2());
    }
    return new GlobeDistance(nearest.point()).to(nearest.otherPoint());
  }

  @Override
  public boolean intersects(Shape other) {
    GlobeShape that = (GlobeShape) other;
    return containsSampleOf(that)
        || that.containsSampleOf(this)
        || edges.nearest(that.edges, TOUCH2).length2() <= TOUCH2;
  }

  /**
   * Returns true if a line or ring of the other shape has a sample in the interior. If no edges
   * touch, each line and ring is wholly inside or wholly outside, so that one point of each is
   * enough.
   */
  private boolean containsSampleOf(GlobeShape that) {
    if (polygon != null) {
      for (S2Point sample : that.samples) {
        if (polygon.contains(sample)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public boolean isWithin(Shape other, Runnable checkpoint) {
    return new GlobeContainment((GlobeShape) other, checkpoint).contains(this);
  }

  /** Returns the area in square metres. */
  @Override
  public double area() {
    return area;
  }
}
