package io.kvreactive.spatial;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.locationtech.jts.algorithm.Orientation;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.index.hprtree.HPRtree;

/**
 * A line string in the plane with a containment test. The relations of JTS would record all points
 * where two lines cross, in quadratic memory, although only common pieces matter.
 */
final class PlaneLine {
  private record Segment(Coordinate from, Coordinate to) {
    Envelope envelope() {
      return new Envelope(from, to);
    }

    /** Returns the position of a point along this segment, by the longer coordinate. */
    double place(Coordinate point) {
      return isFlat() ? point.x : point.y;
    }

    private boolean isFlat() {
      return Math.abs(to.x - from.x) >= Math.abs(to.y - from.y);
    }

    boolean isCollinearTo(Segment other) {
      return Orientation.index(from, to, other.from) == Orientation.COLLINEAR
          && Orientation.index(from, to, other.to) == Orientation.COLLINEAR;
    }
  }

  /** A part of a segment, by positions. */
  private record Part(double first, double last) {
    static Part of(double a, double b) {
      return new Part(Math.min(a, b), Math.max(a, b));
    }
  }

  private final HPRtree segments = new HPRtree();

  PlaneLine(Geometry line) {
    for (Segment segment : segmentsOf(line)) {
      segments.insert(segment.envelope(), segment);
    }
  }

  private static List<Segment> segmentsOf(Geometry line) {
    Coordinate[] coordinates = line.getCoordinates();
    return IntStream.range(1, coordinates.length)
        .mapToObj(i -> new Segment(coordinates[i - 1], coordinates[i]))
        .filter(segment -> !segment.from.equals2D(segment.to))
        .toList();
  }

  /**
   * Returns true if every point of another line is a point of this line.
   *
   * @param checkpoint counts the work
   */
  boolean contains(Geometry line, Runnable checkpoint) {
    for (Segment segment : segmentsOf(line)) {
      checkpoint.run();
      if (!contains(segment)) {
        return false;
      }
    }
    return true;
  }

  private boolean contains(Segment segment) {
    List<Part> parts = new ArrayList<>();
    segments.query(
        segment.envelope(),
        item -> {
          Segment other = (Segment) item;
          if (segment.isCollinearTo(other)) {
            parts.add(Part.of(segment.place(other.from), segment.place(other.to)));
          }
        });
    parts.sort(Comparator.comparingDouble(Part::first));
    Part all = Part.of(segment.place(segment.from), segment.place(segment.to));
    double covered = all.first;
    for (Part part : parts) {
      if (part.first <= covered) {
        covered = Math.max(covered, part.last);
      }
    }
    return covered >= all.last && !parts.isEmpty();
  }
}
