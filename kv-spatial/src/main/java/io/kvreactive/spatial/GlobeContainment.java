package io.kvreactive.spatial;

import static io.kvreactive.spatial.GlobeShape.TOUCH;
import static io.kvreactive.spatial.GlobeShape.TOUCH2;

import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2Point;
import io.kvreactive.spatial.EdgeTree.Edge;
import io.kvreactive.spatial.GeoJson.ShapeType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Decides if a shape contains other shapes. The edges of each shape are cut where they meet the
 * edges of the other. Each piece is then wholly inside, wholly outside or on an edge, which the
 * position of its middle decides.
 */
final class GlobeContainment {
  /**
   * Distance from an edge at which its side is tested: larger than the distance of points regarded
   * as equal.
   */
  private static final double SIDE_DISTANCE = 4 * TOUCH;

  private final GlobeShape container;
  private final Runnable checkpoint;

  /**
   * Creates a decision.
   *
   * @param checkpoint counts the work
   */
  GlobeContainment(GlobeShape container, Runnable checkpoint) {
    this.container = container;
    this.checkpoint = checkpoint;
  }

  /** Returns true if every point of a shape is a point of the container. */
  boolean contains(GlobeShape shape) {
    boolean isArea = shape.polygon() != null;
    if (isArea && container.polygon() == null) {
      return false;
    }
    for (Edge edge : shape.edges().edges()) {
      checkpoint.run();
      if (!container.covers(edge.from()) || !container.covers(edge.to())) {
        return false;
      }
    }
    for (Edge edge : shape.edges().edges()) {
      if (!piecesMatch(edge, container, middle -> isInside(edge, middle, isArea))) {
        return false;
      }
    }
    return !isArea || !hasEdgeInside(shape);
  }

  /**
   * Returns true if the middle of a piece is inside; for an area, the left side of the middle too.
   */
  private boolean isInside(Edge edge, S2Point middle, boolean isArea) {
    if (!isArea) {
      return container.covers(middle);
    }
    if (!container.edges().isNear(middle, TOUCH2)) {
      return container.containsInterior(middle);
    }
    S2Point left = S2Point.add(middle, S2Point.mul(edge.normal(), SIDE_DISTANCE));
    return container.covers(S2Point.normalize(left));
  }

  /** Returns true if a part of the container's boundary is in the interior of an area. */
  private boolean hasEdgeInside(GlobeShape area) {
    for (Edge edge : container.edges().edges()) {
      if (isStrictlyIn(area, edge.from())
          || !piecesMatch(edge, area, middle -> !isStrictlyIn(area, middle))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isStrictlyIn(GlobeShape area, S2Point point) {
    return area.containsInterior(point) && !area.edges().isNear(point, TOUCH2);
  }

  /** Returns true if the predicate is true for the middle of each piece of an edge. */
  private boolean piecesMatch(Edge edge, GlobeShape cutter, Predicate<S2Point> test) {
    checkpoint.run();
    if (edge.isPoint() || cutter.type() == ShapeType.POINT) {
      return true;
    }
    List<S2Point> cuts = new ArrayList<>();
    cuts.add(edge.to());
    if (!cutter.edges().visitNear(edge, TOUCH2, by -> cut(edge, by, cutter, cuts))) {
      return false;
    }
    cuts.sort(Comparator.comparingDouble(cut -> edge.from().getDistance2(cut)));
    S2Point from = edge.from();
    for (S2Point to : cuts) {
      checkpoint.run();
      if (from.getDistance2(to) > 16 * TOUCH2
          && !test.test(S2Point.normalize(S2Point.add(from, to)))) {
        return false;
      }
      from = to;
    }
    return true;
  }

  /**
   * Adds the points where an edge is cut by another.
   *
   * @return false if the edges cross far from their ends at the boundary of an area: then a part of
   *     the first edge is outside of the area, and a part of the other inside
   */
  private static boolean cut(Edge edge, Edge by, GlobeShape cutter, List<S2Point> cuts) {
    int before = cuts.size();
    addIfNear(edge, by.from(), cuts);
    addIfNear(edge, by.to(), cuts);
    if (cutter.polygon() == null || !edge.crosses(by)) {
      return true; // crossing lines have no common piece
    }
    if (cuts.size() == before
        && by.length2(edge.from()) > TOUCH2
        && by.length2(edge.to()) > TOUCH2) {
      return false;
    }
    cuts.add(S2EdgeUtil.getIntersection(edge.from(), edge.to(), by.from(), by.to()));
    return true;
  }

  private static void addIfNear(Edge edge, S2Point end, List<S2Point> cuts) {
    if (edge.minLength2(end) <= TOUCH2 && edge.length2(end) <= TOUCH2) {
      cuts.add(edge.closest(end));
    }
  }
}
