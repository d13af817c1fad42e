package io.kvreactive.spatial;

/**
 * A valid shape: a closed set of points, which includes the boundary of a polygon. Immutable and
 * thread-safe. The other shape of an operation must be of the same class.
 */
sealed interface Shape permits GlobeShape, PlaneShape {
  GeoJson.ShapeType type();

  /** Returns the shortest distance between the shapes, 0 if they intersect. */
  double distance(Shape other);

  /**
   * Returns true if every point of this shape is a point of the other.
   *
   * @param checkpoint counts the work, which may be the product of the sizes of both shapes
   */
  boolean isWithin(Shape other, Runnable checkpoint);

  /** Returns true if the shapes have a point in common. */
  boolean intersects(Shape other);

  /** Returns the area, 0 for a point and for a line string. */
  double area();
}
