package io.kvreactive.index.internal.plan;

/**
 * The estimated number of entries that a scan reads.
 *
 * @param entries the number of entries counted
 * @param more true if there are more entries
 */
public record ScanEstimate(long entries, boolean more) {}
