package io.kvreactive.spatial;

import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2CellUnion;
import com.google.common.geometry.S2RegionCoverer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The grid of the S2 cells on the globe. */
record GlobeGrid() implements CellGrid {
  /**
   * Maximum number of cells of an item's line or polygon. For random shapes of 100 m to 10 km,
   * queries find 1.7 candidates per match with 8 cells, 1.5 with 12 and 1.4 with 20.
   */
  static final int MAX_CELLS = 12;

  /**
   * Lower bound of the metres per radian of the angle between two points, with geodetic latitudes
   * used as latitudes on a sphere. The bound is below the smallest radius of curvature of the
   * WGS-84 ellipsoid, a(1-e²) = 6335439 m.
   */
  private static final double MIN_METRES_PER_RADIAN = 6_335_000;

  /** Upper bound of half the circumference of the earth, in metres. */
  private static final double MAX_DISTANCE = 20_100_000;

  /**
   * Angle added to distances: larger than rounding errors and the angle of points regarded as
   * equal.
   */
  private static final double SLACK = 10 * GlobeShape.TOUCH;

  private static final List<Double> REACHES = CellGrid.reaches(MAX_DISTANCE);

  @Override
  public long rootBit() {
    return S2CellId.lowestOnBitForLevel(0);
  }

  @Override
  public Collection<Long> cells(Shape shape) {
    GlobeShape on = (GlobeShape) shape;
    if (shape.type() == GeoJson.ShapeType.POINT) {
      return List.of(S2CellId.fromPoint(on.samples().get(0)).id());
    }
    return cover(new GlobeRegion(on, SLACK), MAX_CELLS);
  }

  @Override
  public Collection<Long> cellsAround(Shape shape, double distance, int maxCells) {
    double angle = Math.min(distance / MIN_METRES_PER_RADIAN, Math.PI) + SLACK;
    return cover(new GlobeRegion((GlobeShape) shape, angle), maxCells);
  }

  @Override
  public List<Double> reaches() {
    return REACHES;
  }

  private static Collection<Long> cover(GlobeRegion region, int maxCells) {
    S2CellUnion cover = S2RegionCoverer.builder().setMaxCells(maxCells).build().getCovering(region);
    List<Long> ids = new ArrayList<>(cover.size());
    for (S2CellId cell : cover) {
      ids.add(cell.id());
    }
    return ids;
  }
}
