package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import java.time.Instant;

/**
 * An item as it is stored.
 *
 * @param <T> type of the document
 * @param value the document
 * @param id its id, unique in its partition
 * @param etag the commit that wrote it: to be handed to a conditional write
 * @param timestamp when it was last written, in seconds: {@code _ts}
 */
public record Item<T>(T value, String id, Versionstamp etag, Instant timestamp) {}
