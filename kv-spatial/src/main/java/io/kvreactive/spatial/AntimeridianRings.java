package io.kvreactive.spatial;

import com.google.common.geometry.S2Edge;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2PolygonBuilder;
import io.kvreactive.spatial.GeoJson.Ring;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Rings joined along the antimeridian. GeoJSON cuts shapes there (RFC 7946, section 3.1.9), and
 * leads a ring around a pole along it to the pole and back. On the globe, the edges of both sides
 * are the same edge in opposite directions, which is no boundary.
 *
 * @param joined the indices of the rings that had such edges
 * @param loops the boundaries of the joined rings without these edges
 */
record AntimeridianRings(BitSet joined, List<S2Loop> loops) {
  private static final S2PolygonBuilder.Options DIRECTED =
      S2PolygonBuilder.Options.builder().setUndirectedEdges(false).setXorEdges(false).build();

  private record Piece(S2Point from, S2Point to) {
    Piece reverse() {
      return new Piece(to, from);
    }
  }

  /**
   * Joins rings, which have their areas on the left or all of them on the right.
   *
   * @throws InvalidShapeException if two edges along the antimeridian have a part and the direction
   *     in common, if the joined rings are not closed, or nothing is left of them
   */
  static AntimeridianRings of(List<Ring> rings) throws InvalidShapeException {
    AntimeridianRings result = new AntimeridianRings(new BitSet(), new ArrayList<>());
    NavigableMap<Double, S2Point> onLine = pointsOnLine(rings);
    if (onLine.size() < 2) {
      return result;
    }
    Set<Piece> pieces = new HashSet<>();
    for (Ring ring : rings) {
      for (int i = 1; i < ring.size(); i++) {
        if (isOnLine(ring, i - 1) && isOnLine(ring, i)) {
          for (Piece piece : pieces(ring, i, onLine)) {
            if (!pieces.add(piece)) { // also, there would be as many as the square of positions
              throw new InvalidShapeException("The edges along the antimeridian must not overlap.");
            }
          }
        }
      }
    }
    S2PolygonBuilder builder = new S2PolygonBuilder(DIRECTED);
    for (int number = 0; number < rings.size(); number++) {
      List<Piece> all = new ArrayList<>();
      List<Piece> kept = new ArrayList<>();
      Ring ring = rings.get(number);
      for (int i = 1; i < ring.size(); i++) {
        all.addAll(pieces(ring, i, onLine));
      }
      for (Piece piece : all) {
        if (!pieces.contains(piece) || !pieces.contains(piece.reverse())) {
          kept.add(piece);
        }
      }
      if (kept.size() < all.size()) {
        result.joined.set(number);
        kept.forEach(piece -> builder.addEdge(piece.from, piece.to));
      }
    }
    List<S2Edge> unused = new ArrayList<>();
    if (!result.joined.isEmpty()
        && (!builder.assembleLoops(result.loops, unused) || result.loops.isEmpty())) {
      throw new InvalidShapeException("The rings along the antimeridian do not enclose an area.");
    }
    return result;
  }

  /** Returns the points of rings on the antimeridian and at the poles, by latitude. */
  private static NavigableMap<Double, S2Point> pointsOnLine(List<Ring> rings) {
    NavigableMap<Double, S2Point> points = new TreeMap<>();
    for (Ring ring : rings) {
      for (int i = 0; i < ring.size(); i++) {
        if (isOnLine(ring, i)) {
          points.put(ring.y(i) + 0.0, GlobeShapes.point(ring, i)); // one zero
        }
      }
    }
    return points;
  }

  private static boolean isOnLine(Ring ring, int position) {
    return Math.abs(ring.x(position)) == 180 || Math.abs(ring.y(position)) == 90;
  }

  /**
   * Returns the edge that ends at a position. An edge along the antimeridian is divided at all
   * points there, because the other side of the cut may have other positions.
   */
  private static List<Piece> pieces(Ring ring, int end, NavigableMap<Double, S2Point> onLine) {
    S2Point from = GlobeShapes.point(ring, end - 1);
    S2Point to = GlobeShapes.point(ring, end);
    if (from.equalsPoint(to)) {
      return List.of();
    }
    List<S2Point> points = new ArrayList<>();
    if (isOnLine(ring, end - 1) && isOnLine(ring, end)) {
      double south = Math.min(ring.y(end - 1), ring.y(end));
      double north = Math.max(ring.y(end - 1), ring.y(end));
      NavigableMap<Double, S2Point> between = onLine.subMap(south, false, north, false);
      points.addAll((south == ring.y(end - 1) ? between : between.descendingMap()).values());
    }
    points.add(to);
    List<Piece> pieces = new ArrayList<>();
    for (S2Point point : points) {
      pieces.add(new Piece(from, point));
      from = point;
    }
    return pieces;
  }
}
