package io.kvreactive.index.internal.plan;

/** One item of ORDER BY. */
public record Ordered(Place place, boolean descending) {}
