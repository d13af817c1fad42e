package io.kvreactive.documents;

/** The rectangle of the plane that a spatial index covers. */
public record BoundingBox(double xmin, double ymin, double xmax, double ymax) {}
