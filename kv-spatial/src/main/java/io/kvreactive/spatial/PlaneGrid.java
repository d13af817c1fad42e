package io.kvreactive.spatial;

import io.kvreactive.documents.BoundingBox;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.locationtech.jts.geom.Envelope;

/**
 * A quadtree grid over the bounding box of an index, with 2^16 columns and rows of smallest cells.
 */
final class PlaneGrid implements CellGrid {
  /** Maximum number of cells of an item's line or polygon. */
  static final int MAX_CELLS = 12;

  private static final int LEVELS = 16;
  private static final long ROOT = 1L << (2 * LEVELS);

  private final double xmin;
  private final double ymin;
  private final double cellWidth;
  private final double cellHeight;
  private final Envelope box;

  /** The margin around cells that compensates for rounding. */
  private final double slack;

  PlaneGrid(BoundingBox box) {
    xmin = clamp(box.xmin());
    ymin = clamp(box.ymin());
    double xmax = clamp(box.xmax());
    double ymax = clamp(box.ymax());
    cellWidth = (xmax - xmin) / (1 << LEVELS);
    cellHeight = (ymax - ymin) / (1 << LEVELS);
    this.box = new Envelope(xmin, xmax, ymin, ymax);
    slack = 1e-14 * largest(this.box);
  }

  /** Limits a coordinate to the range of valid shapes. */
  private static double clamp(double coordinate) {
    double max = GeoJsonReader.MAX_PLANE_COORDINATE;
    return Math.max(-max, Math.min(max, coordinate));
  }

  private static double largest(Envelope envelope) {
    return Math.max(
        Math.max(Math.abs(envelope.getMinX()), Math.abs(envelope.getMaxX())),
        Math.max(Math.abs(envelope.getMinY()), Math.abs(envelope.getMaxY())));
  }

  @Override
  public long rootBit() {
    return ROOT;
  }

  @Override
  public @Nullable Collection<Long> cells(Shape shape) {
    PlaneShape on = (PlaneShape) shape;
    if (!box.contains(on.envelope())) {
      return null;
    }
    if (shape.type() == GeoJson.ShapeType.POINT) {
      Envelope at = on.envelope();
      return List.of(leaf(at.getMinX(), at.getMinY()));
    }
    return cover(new PlaneRegion(on, 0), MAX_CELLS);
  }

  @Override
  public Collection<Long> cellsAround(Shape shape, double distance, int maxCells) {
    PlaneShape on = (PlaneShape) shape;
    double rounding = 1e-12 * (distance + largest(on.envelope()) + largest(box));
    return cover(new PlaneRegion(on, distance == 0 ? 0 : distance + rounding), maxCells);
  }

  @Override
  public List<Double> reaches() {
    return CellGrid.reaches(Math.hypot(box.getWidth(), box.getHeight()));
  }

  private long leaf(double x, double y) {
    long column = column((x - xmin) / cellWidth);
    long row = column((y - ymin) / cellHeight);
    long bits = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
      bits = (bits << 2) | (((column >> level) & 1) << 1) | ((row >> level) & 1);
    }
    return 2 * bits + 1;
  }

  private static long column(double position) {
    return Math.max(0, Math.min((1 << LEVELS) - 1, (long) position));
  }

  /** Returns the rectangle of a cell, slightly enlarged. */
  private Envelope rectangle(long cell) {
    int level = LEVELS - Long.numberOfTrailingZeros(cell) / 2;
    long bits = cell >>> (2 * (LEVELS - level) + 1);
    long column = 0;
    long row = 0;
    for (int i = level - 1; i >= 0; i--) {
      column = 2 * column + ((bits >> (2 * i + 1)) & 1);
      row = 2 * row + ((bits >> (2 * i)) & 1);
    }
    long size = 1L << (LEVELS - level);
    return new Envelope(
        xmin + column * size * cellWidth - slack,
        xmin + (column + 1) * size * cellWidth + slack,
        ymin + row * size * cellHeight - slack,
        ymin + (row + 1) * size * cellHeight + slack);
  }

  /** Covers a region by dividing the largest cells first, up to the maximum number of cells. */
  private List<Long> cover(PlaneRegion region, int maxCells) {
    List<Long> done = new ArrayList<>();
    PriorityQueue<Long> open =
        new PriorityQueue<>(Comparator.comparingLong((Long cell) -> -Long.lowestOneBit(cell)));
    if (region.mayIntersect(rectangle(ROOT))) {
      open.add(ROOT);
    }
    while (!open.isEmpty()) {
      long cell = open.remove();
      if (Long.lowestOneBit(cell) == 1 || region.contains(rectangle(cell))) {
        done.add(cell);
        continue;
      }
      List<Long> children = new ArrayList<>(4);
      for (int i = 0; i < 4; i++) {
        long child = CellTerms.child(cell, i);
        if (region.mayIntersect(rectangle(child))) {
          children.add(child);
        }
      }
      if (children.size() <= 1 || done.size() + open.size() + children.size() <= maxCells) {
        open.addAll(children);
      } else {
        done.add(cell);
      }
    }
    return done;
  }
}
