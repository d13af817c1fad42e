package io.kvreactive.index.internal.plan;

/**
 * An index that does not serve a query, with the reason.
 *
 * @param rule the violated rule, R1 to R5
 */
public record IndexRejection(String index, String rule, String reason) {}
