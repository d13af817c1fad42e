package io.kvreactive.spi;

import io.kvreactive.Versionstamp;

/**
 * A condition of a commit: nothing in a range has changed since it was read. Keys that came, went
 * or were rewritten fail it; so does an engine that no longer knows what has changed since.
 *
 * @param start inclusive; not copied, must not be changed
 * @param end exclusive
 * @param since the version that was read
 * @param validUntil when the first key that was read expires, milliseconds since 1970; 0 when none
 *     does
 */
public record RangeCheck(byte[] start, byte[] end, Versionstamp since, long validUntil) {}
