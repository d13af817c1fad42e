package io.kvreactive.index.internal.plan;

/** One term of ORDER BY. */
public record OrderTerm(FieldRef field, boolean descending) {}
