package io.kvreactive.spatial;

import com.google.common.geometry.S1ChordAngle;
import com.google.common.geometry.S2;
import com.google.common.geometry.S2Cell;
import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2Point;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The edges of a shape on the unit sphere in a binary tree of bounding boxes in space. Searches for
 * near edges take logarithmic time for usual shapes. Distances are squared lengths of chords. An
 * edge with equal ends is a point. Immutable.
 */
final class EdgeTree {
  /**
   * An edge: the shorter arc from one point to another.
   *
   * @param normal the unit vector to the left of the edge, zero for a point
   */
  record Edge(S2Point from, S2Point to, S2Point normal) {
    static Edge of(S2Point from, S2Point to) {
      return new Edge(
          from,
          to,
          from.equalsPoint(to)
              ? new S2Point(0, 0, 0)
              : S2Point.normalize(S2.robustCrossProd(from, to)));
    }

    boolean isPoint() {
      return from.equalsPoint(to);
    }

    /** Returns true if the edges cross at a point that is an end of neither. */
    boolean crosses(Edge other) {
      return !isPoint()
          && !other.isPoint()
          && S2EdgeUtil.robustCrossing(from, to, other.from, other.to) > 0;
    }

    /** Returns the squared chord from a point to the nearest point of this edge. */
    double length2(S2Point point) {
      return S2EdgeUtil.updateMinDistance(point, from, to, S1ChordAngle.INFINITY).getLength2();
    }

    /** Returns the point of this edge that is nearest to a point. */
    S2Point closest(S2Point point) {
      return isPoint() ? from : S2EdgeUtil.getClosestPoint(point, from, to);
    }

    /**
     * Returns a lower bound of the squared chord between this edge and another, from the distance
     * of the other edge to the plane of this edge. Much faster than the distance itself.
     */
    double minLength2(Edge other) {
      return minLength2(normal.dotProd(other.from), normal.dotProd(other.to));
    }

    double minLength2(S2Point point) {
      double height = normal.dotProd(point);
      return minLength2(height, height);
    }

    private static double minLength2(double height, double otherHeight) {
      if (height > 0 != otherHeight > 0) {
        return 0;
      }
      double least = Math.min(Math.abs(height), Math.abs(otherHeight)) - SLACK;
      return least <= 0 ? 0 : least * least;
    }
  }

  /** The nearest points of two trees, and the square of their chord. */
  record Nearest(S2Point point, S2Point otherPoint, double length2) {}

  private static final int LEAF_SIZE = 4;

  /** Tolerance above the rounding errors of boxes. */
  private static final double SLACK = 1e-14;

  private final Edge[] edges;

  /** Six numbers for each node: the minimum and maximum of x, y and z. */
  private final double[] boxes;

  /** The first edge of each node, and the end of its edges. */
  private final int[] first;

  private final int[] end;

  /** The right child of each node, 0 for leaves. The left child is the next node. */
  private final int[] right;

  private int nodes;

  EdgeTree(List<Edge> list) {
    edges = list.toArray(Edge[]::new);
    int capacity = 2 * edges.length;
    boxes = new double[6 * capacity];
    first = new int[capacity];
    end = new int[capacity];
    right = new int[capacity];
    build(0, edges.length);
  }

  private void build(int from, int to) {
    int node = nodes++;
    first[node] = from;
    end[node] = to;
    double[] box = emptyBox();
    for (int i = from; i < to; i++) {
      extend(box, edges[i]);
    }
    System.arraycopy(box, 0, boxes, 6 * node, 6);
    if (to - from <= LEAF_SIZE) {
      return;
    }
    int axis = 0;
    for (int i = 1; i < 3; i++) {
      if (box[2 * i + 1] - box[2 * i] > box[2 * axis + 1] - box[2 * axis]) {
        axis = i;
      }
    }
    int longest = axis;
    Arrays.sort(
        edges,
        from,
        to,
        (a, b) ->
            Double.compare(
                a.from.get(longest) + a.to.get(longest), b.from.get(longest) + b.to.get(longest)));
    int middle = (from + to) >>> 1;
    build(from, middle);
    right[node] = nodes;
    build(middle, to);
  }

  private static double[] emptyBox() {
    return new double[] {2, -2, 2, -2, 2, -2};
  }

  /** Extends a box by an edge: by its ends, and by how far the arc rises above its chord. */
  private static void extend(double[] box, Edge edge) {
    double rise = 1 - 0.5 * S2Point.add(edge.from, edge.to).norm() + SLACK;
    for (int axis = 0; axis < 3; axis++) {
      double a = edge.from.get(axis);
      double b = edge.to.get(axis);
      box[2 * axis] = Math.min(box[2 * axis], Math.min(a, b) - rise);
      box[2 * axis + 1] = Math.max(box[2 * axis + 1], Math.max(a, b) + rise);
    }
  }

  private static double[] boxOf(S2Point point, double radius) {
    double around = radius + SLACK;
    return new double[] {
      point.getX() - around,
      point.getX() + around,
      point.getY() - around,
      point.getY() + around,
      point.getZ() - around,
      point.getZ() + around
    };
  }

  /** Returns the square of the distance between two boxes. */
  private static double gap2(double[] a, int i, double[] b, int j) {
    double sum = 0;
    for (int axis = 0; axis < 6; axis += 2) {
      double gap = Math.max(a[i + axis] - b[j + axis + 1], b[j + axis] - a[i + axis + 1]);
      if (gap > 0) {
        sum += gap * gap;
      }
    }
    return sum;
  }

  /** Returns the edges, in no particular order. */
  List<Edge> edges() {
    return List.of(edges);
  }

  /**
   * Calls a visitor with at least all edges within a distance of the given edge, until the visitor
   * returns false.
   *
   * @param length2 the squared chord of the distance
   * @return false if the visitor returned false
   */
  boolean visitNear(Edge edge, double length2, Predicate<Edge> visitor) {
    double[] box = emptyBox();
    extend(box, edge);
    return visitNear(0, edge, box, length2, visitor);
  }

  private boolean visitNear(
      int node, Edge edge, double[] box, double length2, Predicate<Edge> visitor) {
    if (gap2(boxes, 6 * node, box, 0) > length2) {
      return true;
    }
    if (right[node] == 0) {
      for (int i = first[node]; i < end[node]; i++) {
        if (edge.minLength2(edges[i]) <= length2
            && edges[i].minLength2(edge) <= length2
            && !visitor.test(edges[i])) {
          return false;
        }
      }
      return true;
    }
    return visitNear(node + 1, edge, box, length2, visitor)
        && visitNear(right[node], edge, box, length2, visitor);
  }

  /** Returns true if an edge is within a distance of a point. */
  boolean isNear(S2Point point, double length2) {
    return isNear(0, point, boxOf(point, 0), length2);
  }

  private boolean isNear(int node, S2Point point, double[] box, double length2) {
    if (gap2(boxes, 6 * node, box, 0) > length2) {
      return false;
    }
    if (right[node] == 0) {
      for (int i = first[node]; i < end[node]; i++) {
        if (edges[i].minLength2(point) <= length2 && edges[i].length2(point) <= length2) {
          return true;
        }
      }
      return false;
    }
    return isNear(node + 1, point, box, length2) || isNear(right[node], point, box, length2);
  }

  /**
   * Returns true if an edge is within a distance of a cell; edges inside of the cell have distance
   * 0.
   */
  boolean isNear(S2Cell cell, double length2) {
    double radius = Math.sqrt(cell.getCapBound().radius().getLength2());
    return isNear(0, cell, boxOf(cell.getCapBound().axis(), radius), length2);
  }

  private boolean isNear(int node, S2Cell cell, double[] box, double length2) {
    if (gap2(boxes, 6 * node, box, 0) > length2) {
      return false;
    }
    if (right[node] == 0) {
      for (int i = first[node]; i < end[node]; i++) {
        Edge edge = edges[i];
        S1ChordAngle distance =
            edge.isPoint()
                ? cell.getDistance(edge.from)
                : cell.getDistanceToEdge(edge.from, edge.to);
        if (distance.getLength2() <= length2) {
          return true;
        }
      }
      return false;
    }
    return isNear(node + 1, cell, box, length2) || isNear(right[node], cell, box, length2);
  }

  /**
   * Returns the nearest points of the edges of two trees. The search ends early as soon as a
   * distance is at most the given one.
   */
  Nearest nearest(EdgeTree other, double enough2) {
    Search search = new Search(other, enough2);
    search.run(0, 0);
    return search.result();
  }

  private final class Search {
    private final EdgeTree other;
    private final double enough2;
    private double best2 = Double.POSITIVE_INFINITY;
    private @Nullable Edge nearestEdge;
    private @Nullable Edge nearestOther;

    Search(EdgeTree other, double enough2) {
      this.other = other;
      this.enough2 = enough2;
    }

    private double gap2(int node, int otherNode) {
      return EdgeTree.gap2(boxes, 6 * node, other.boxes, 6 * otherNode);
    }

    void run(int node, int otherNode) {
      if (best2 <= enough2 || gap2(node, otherNode) >= best2) {
        return;
      }
      boolean leaf = right[node] == 0;
      boolean otherLeaf = other.right[otherNode] == 0;
      if (leaf && otherLeaf) {
        compare(node, otherNode);
      } else if (otherLeaf
          || (!leaf && end[node] - first[node] > other.end[otherNode] - other.first[otherNode])) {
        boolean swap = gap2(right[node], otherNode) < gap2(node + 1, otherNode);
        run(swap ? right[node] : node + 1, otherNode);
        run(swap ? node + 1 : right[node], otherNode);
      } else {
        int next = other.right[otherNode];
        boolean swap = gap2(node, next) < gap2(node, otherNode + 1);
        run(node, swap ? next : otherNode + 1);
        run(node, swap ? otherNode + 1 : next);
      }
    }

    private void compare(int node, int otherNode) {
      for (int i = first[node]; i < end[node]; i++) {
        Edge edge = edges[i];
        for (int j = other.first[otherNode]; j < other.end[otherNode]; j++) {
          Edge otherEdge = other.edges[j];
          if (edge.minLength2(otherEdge) >= best2 || otherEdge.minLength2(edge) >= best2) {
            continue;
          }
          double length2 = length2(edge, otherEdge);
          if (length2 < best2) {
            best2 = length2;
            nearestEdge = edge;
            nearestOther = otherEdge;
          }
        }
      }
    }

    Nearest result() {
      if (nearestEdge == null || nearestOther == null) {
        throw new IllegalStateException("a tree has no edges");
      }
      if (nearestEdge.crosses(nearestOther)) {
        S2Point at =
            S2EdgeUtil.getIntersection(
                nearestEdge.from, nearestEdge.to, nearestOther.from, nearestOther.to);
        return new Nearest(at, at, 0);
      }
      if (nearestOther.length2(nearestEdge.from) == best2) {
        return new Nearest(nearestEdge.from, nearestOther.closest(nearestEdge.from), best2);
      }
      if (nearestOther.length2(nearestEdge.to) == best2) {
        return new Nearest(nearestEdge.to, nearestOther.closest(nearestEdge.to), best2);
      }
      S2Point from =
          nearestEdge.length2(nearestOther.from) == best2 ? nearestOther.from : nearestOther.to;
      return new Nearest(nearestEdge.closest(from), from, best2);
    }
  }

  private static double length2(Edge a, Edge b) {
    if (a.crosses(b)) {
      return 0;
    }
    S1ChordAngle least = S1ChordAngle.INFINITY;
    least = S2EdgeUtil.updateMinDistance(a.from, b.from, b.to, least);
    least = S2EdgeUtil.updateMinDistance(a.to, b.from, b.to, least);
    least = S2EdgeUtil.updateMinDistance(b.from, a.from, a.to, least);
    least = S2EdgeUtil.updateMinDistance(b.to, a.from, a.to, least);
    return least.getLength2();
  }
}
