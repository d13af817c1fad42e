package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * A request for a change feed.
 *
 * @param start the inclusive start of the range; not copied, must not be changed
 * @param end the exclusive end; a range whose end is not after its start is empty
 * @param since the version after which commits are emitted, or null for those after the
 *     subscription
 * @param bookmarkMillis the time without an element after which a bookmark is emitted, in
 *     milliseconds; at least 1
 * @param oldValues true if changes include the previous values
 */
public record ChangesRequest(
    byte[] start,
    byte[] end,
    @Nullable Versionstamp since,
    long bookmarkMillis,
    boolean oldValues) {}
