package io.kvreactive.spatial;

import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Point;
import io.kvreactive.spatial.EdgeTree.Edge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.sf.geographiclib.Geodesic;
import net.sf.geographiclib.GeodesicMask;

/**
 * Distances from a point along geodesics of the ellipsoid. A degree has up to 1 % more metres in
 * one direction or latitude than in another, so the point of a shape that is nearest on the sphere
 * is not exactly the nearest one. It is the start of the search for that one.
 */
final class GlobeDistance {
  /**
   * Upper bound of the ratio of metres per radian at two places and in two directions: the extreme
   * radii of curvature are 6335 and 6400 km.
   */
  private static final double MAX_RATIO = 1.0103;

  /** Upper bound of the relative error of the distance to the point nearest on the sphere. */
  private static final double MAX_SPHERE_ERROR = 5e-5;

  /** Maximum number of edges on which the nearest point is searched. */
  private static final int MAX_REFINED = 16;

  /** Distance, relative to the length of the geodesic, of the points that estimate the nearest. */
  private static final double STEP = 0.01;

  private static final int ROUNDS = 2;

  /** A point of an edge, by the angle from the start of the edge. */
  private record Foot(Edge edge, double angle, double metres) {}

  private final S2Point point;
  private final S2LatLng place;

  GlobeDistance(S2Point point) {
    this.point = point;
    this.place = new S2LatLng(point);
  }

  /** Returns the length of the geodesic between two points, the same in both directions. */
  static double geodesic(double latA, double lonA, double latB, double lonB) {
    boolean ordered = latA < latB || (latA == latB && lonA <= lonB);
    return ordered ? inverse(latA, lonA, latB, lonB) : inverse(latB, lonB, latA, lonA);
  }

  private static double inverse(double latA, double lonA, double latB, double lonB) {
    return Geodesic.WGS84.Inverse(latA, lonA, latB, lonB, GeodesicMask.DISTANCE).s12;
  }

  /** Returns the distance to a point in metres. */
  double to(S2Point other) {
    S2LatLng otherPoint = new S2LatLng(other);
    return geodesic(
        place.latDegrees(), place.lngDegrees(), otherPoint.latDegrees(), otherPoint.lngDegrees());
  }

  /**
   * Returns the distance to the nearest edge in metres.
   *
   * @param length2 the squared chord from the point to the edge that is nearest on the sphere
   */
  double to(EdgeTree edges, double length2) {
    double angle = 2 * Math.asin(Math.min(1, 0.5 * Math.sqrt(length2))) * MAX_RATIO;
    double chord = angle >= Math.PI ? 3 : 2 * Math.sin(0.5 * angle);
    List<Foot> feet = new ArrayList<>();
    edges.visitNear(
        Edge.of(point, point),
        chord * chord,
        edge -> {
          if (edge.length2(point) <= chord * chord) {
            S2Point closest = edge.closest(point);
            feet.add(new Foot(edge, edge.from().angle(closest), to(closest)));
          }
          return true;
        });
    feet.sort(Comparator.comparingDouble(Foot::metres));
    double nearest = feet.get(0).metres;
    double limit = nearest * (1 + MAX_SPHERE_ERROR);
    for (Foot foot : feet.subList(0, Math.min(feet.size(), MAX_REFINED))) {
      if (foot.metres <= limit) {
        nearest = Math.min(nearest, refined(foot));
      }
    }
    return nearest;
  }

  /**
   * Returns the distance to the nearest point of an edge, found from parabolas through squares of
   * distances.
   */
  private double refined(Foot foot) {
    double nearest = foot.metres;
    double angle = foot.angle;
    double end = foot.edge.from().angle(foot.edge.to());
    for (int round = 0; round < ROUNDS && end > 0; round++) {
      double step = STEP * nearest / 6_371_000;
      double before = square(foot.edge, angle - step);
      double here = square(foot.edge, angle);
      double behind = square(foot.edge, angle + step);
      double curvature = before - 2 * here + behind;
      if (!(curvature > 0)) {
        break; // a distance of about a quarter of the globe
      }
      double vertex = angle + 0.5 * step * (before - behind) / curvature;
      angle = Math.max(0, Math.min(end, vertex));
      nearest = Math.min(nearest, Math.sqrt(square(foot.edge, angle)));
    }
    return nearest;
  }

  /** Returns the square of the distance to a point of the great circle of an edge. */
  private double square(Edge edge, double angle) {
    S2Point ahead = S2Point.crossProd(edge.normal(), edge.from());
    double metres =
        to(
            S2Point.add(
                S2Point.mul(edge.from(), Math.cos(angle)), S2Point.mul(ahead, Math.sin(angle))));
    return metres * metres;
  }
}
