package io.kvreactive.index.internal.plan;

/** One item of ORDER BY. */
public record OrderTerm(FieldRef place, boolean descending) {}
