package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.time.Instant;

/**
 * A stored item.
 *
 * @param <T> the type of the document
 * @param value the document
 * @param id the id, unique in its partition
 * @param etag the versionstamp of the last write, for conditional writes
 * @param timestamp the time of the last write, in seconds: {@code _ts}
 */
public record Item<T>(T value, String id, Versionstamp etag, Instant timestamp) {}
