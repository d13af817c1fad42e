package io.kvreactive.index.internal.plan;

/**
 * How many entries a scan reads.
 *
 * @param entries as far as they were counted
 * @param more whether there are more
 */
public record ScanEstimate(long entries, boolean more) {}
