package io.kvreactive.spatial;

import io.kvreactive.spatial.GeoJson.Ring;
import io.kvreactive.spatial.GeoJson.ShapeType;
import java.util.List;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.LinearRing;
import org.locationtech.jts.geom.Polygon;
import org.locationtech.jts.operation.distance.IndexedFacetDistance;
import org.locationtech.jts.operation.relateng.RelateNG;
import org.locationtech.jts.operation.relateng.RelatePredicate;
import org.locationtech.jts.operation.valid.IsValidOp;
import org.locationtech.jts.operation.valid.TopologyValidationError;

/** A shape in the plane. The orientation of rings is ignored. */
final class PlaneShape implements Shape {
  private static final GeometryFactory FACTORY = new GeometryFactory();

  private final ShapeType type;
  private final Geometry geometry;

  private PlaneShape(ShapeType type, Geometry geometry) {
    this.type = type;
    this.geometry = geometry;
  }

  static PlaneShape of(GeoJson json) throws InvalidShapeException {
    Geometry geometry =
        switch (json.type()) {
          case POINT -> FACTORY.createPoint(coordinates(json.line())[0]);
          case LINE_STRING -> FACTORY.createLineString(coordinates(json.line()));
          case POLYGON -> polygon(json.polygons().get(0));
          case MULTI_POLYGON ->
              FACTORY.createMultiPolygon(
                  json.polygons().stream().map(PlaneShape::polygon).toArray(Polygon[]::new));
        };
    TopologyValidationError error = new IsValidOp(geometry).getValidationError();
    if (error != null) {
      Coordinate at = error.getCoordinate();
      String place = at == null ? "" : " at " + RingErrors.text(at.x, at.y);
      throw new InvalidShapeException(
          "The coordinates are not valid: " + error.getMessage() + place + ".");
    }
    return new PlaneShape(json.type(), geometry);
  }

  private static Polygon polygon(List<Ring> rings) {
    LinearRing[] linear =
        rings.stream()
            .map(ring -> FACTORY.createLinearRing(coordinates(ring)))
            .toArray(LinearRing[]::new);
    LinearRing[] holes = new LinearRing[linear.length - 1];
    System.arraycopy(linear, 1, holes, 0, holes.length);
    return FACTORY.createPolygon(linear[0], holes);
  }

  private static Coordinate[] coordinates(Ring ring) {
    Coordinate[] coordinates = new Coordinate[ring.size()];
    for (int i = 0; i < coordinates.length; i++) {
      coordinates[i] = new Coordinate(ring.x(i), ring.y(i));
    }
    return coordinates;
  }

  @Override
  public ShapeType type() {
    return type;
  }

  Geometry geometry() {
    return geometry;
  }

  Envelope envelope() {
    return geometry.getEnvelopeInternal();
  }

  @Override
  public double distance(Shape other) {
    PlaneShape that = (PlaneShape) other;
    return intersects(that) ? 0 : IndexedFacetDistance.distance(geometry, that.geometry);
  }

  @Override
  public boolean isWithin(Shape other, Runnable checkpoint) {
    PlaneShape that = (PlaneShape) other;
    if (type == ShapeType.LINE_STRING && that.type == ShapeType.LINE_STRING) {
      return new PlaneLine(that.geometry).contains(geometry, checkpoint);
    }
    if (type == ShapeType.LINE_STRING && that.type.isArea()) {
      return isLineWithin(that.geometry, checkpoint);
    }
    return RelateNG.relate(that.geometry, geometry, RelatePredicate.covers());
  }

  /**
   * Returns true if this line is within an area. Segments are compared one by one: a whole line
   * would be compared with itself too, in quadratic time.
   */
  private boolean isLineWithin(Geometry area, Runnable checkpoint) {
    RelateNG prepared = RelateNG.prepare(area);
    Coordinate[] line = geometry.getCoordinates();
    for (int i = 1; i < line.length; i++) {
      checkpoint.run();
      if (!line[i - 1].equals2D(line[i])) {
        Geometry segment = FACTORY.createLineString(new Coordinate[] {line[i - 1], line[i]});
        if (!prepared.evaluate(segment, RelatePredicate.covers())) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public boolean intersects(Shape other) {
    PlaneShape that = (PlaneShape) other;
    return RelateNG.relate(geometry, that.geometry, RelatePredicate.intersects());
  }

  @Override
  public double area() {
    return geometry.getArea();
  }
}
