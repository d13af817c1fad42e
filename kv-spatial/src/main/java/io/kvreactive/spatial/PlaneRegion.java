package io.kvreactive.spatial;

import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.prep.PreparedGeometry;
import org.locationtech.jts.geom.prep.PreparedGeometryFactory;
import org.locationtech.jts.operation.distance.IndexedFacetDistance;

/** The points of the plane whose distance to a shape is at most a radius. Not thread-safe. */
final class PlaneRegion {
  private final GeometryFactory factory;
  private final Envelope bound;
  private final PreparedGeometry prepared;
  private final IndexedFacetDistance facets;
  private final double radius;

  PlaneRegion(PlaneShape shape, double radius) {
    Geometry geometry = shape.geometry();
    factory = geometry.getFactory();
    bound = new Envelope(shape.envelope());
    bound.expandBy(radius);
    prepared = PreparedGeometryFactory.prepare(geometry);
    facets = new IndexedFacetDistance(geometry);
    this.radius = radius;
  }

  /** Returns false if no point of a rectangle is in the region. */
  boolean mayIntersect(Envelope rectangle) {
    if (!bound.intersects(rectangle)) {
      return false;
    }
    Geometry cell = factory.toGeometry(rectangle);
    return prepared.intersects(cell) || (radius > 0 && facets.isWithinDistance(cell, radius));
  }

  /** Returns true only if all points of a rectangle are in the region. */
  boolean contains(Envelope rectangle) {
    if (prepared.covers(factory.toGeometry(rectangle))) {
      return true;
    }
    double inner = radius - 0.5 * rectangle.getDiameter();
    return inner > 0 && facets.isWithinDistance(factory.createPoint(rectangle.centre()), inner);
  }
}
