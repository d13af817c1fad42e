package io.kvreactive.index;

/** The part of a plane that a spatial index covers. */
public record BoundingBox(double xmin, double ymin, double xmax, double ymax) {}
