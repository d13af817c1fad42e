package io.kvreactive.spi;

import io.kvreactive.Versionstamp;

/**
 * A condition of a commit: nothing in a range has changed since it was read. The check fails if a
 * key was added, deleted or rewritten, and if the engine no longer knows the changes since then.
 *
 * @param start the inclusive start; not copied, must not be changed
 * @param end the exclusive end
 * @param since the version that was read
 * @param validUntil the time from which on the check fails, because an entry that was read expires,
 *     in milliseconds since 1970; 0 for none
 */
public record RangeCheck(byte[] start, byte[] end, Versionstamp since, long validUntil) {}
