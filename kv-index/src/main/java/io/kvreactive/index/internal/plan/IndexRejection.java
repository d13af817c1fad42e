package io.kvreactive.index.internal.plan;

/**
 * Why an index does not serve a query.
 *
 * @param rule which rule it does not meet, R1 to R5
 */
public record IndexRejection(String index, String rule, String reason) {}
