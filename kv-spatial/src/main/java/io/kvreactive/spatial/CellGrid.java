package io.kvreactive.spatial;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A grid of cells that covers shapes. */
sealed interface CellGrid permits GlobeGrid, PlaneGrid {
  /**
   * Number of distances of {@link #reaches()}: on the globe from 0.2 mm to the whole globe, in the
   * middle 113 m, where the search starts.
   */
  int REACHES = 24;

  /** Ratio of two consecutive distances. */
  int GROWTH = 3;

  /** Returns the lowest set bit of the identifiers of the largest cells. */
  long rootBit();

  /**
   * Returns cells that together contain all points of a shape.
   *
   * @return null if the shape is not completely inside of the grid
   */
  @Nullable Collection<Long> cells(Shape shape);

  /**
   * Returns cells that contain all points of the grid within a distance of a shape.
   *
   * @param distance the distance, at least 0; in metres on the globe
   * @param maxCells the maximum number of cells; a grid may need up to 6
   */
  Collection<Long> cellsAround(Shape shape, double distance, int maxCells);

  /** Returns distances up to the largest, each three times the one before. */
  static List<Double> reaches(double largest) {
    List<Double> reaches = new ArrayList<>();
    for (int i = REACHES - 1; i >= 0; i--) {
      reaches.add(largest / Math.pow(GROWTH, i));
    }
    return List.copyOf(reaches);
  }

  /** Returns increasing distances for the search for the nearest shapes. */
  List<Double> reaches();
}
