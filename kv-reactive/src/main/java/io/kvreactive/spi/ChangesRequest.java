package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * Which changes to follow.
 *
 * @param start of the keys, inclusive; not copied, must not be changed
 * @param end exclusive; a range whose end is not after its start is empty
 * @param since commits after this one are emitted, or null for those after the subscription
 * @param bookmarkMillis after how long without an element a bookmark is emitted; at least 1
 * @param oldValues true if changes carry the values before
 */
public record ChangesRequest(
    byte[] start,
    byte[] end,
    @Nullable Versionstamp since,
    long bookmarkMillis,
    boolean oldValues) {}
