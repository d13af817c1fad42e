package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a {@link DocumentCollection#deleteMany} or {@link
 * DocumentCollection#deletePartition}. The deletes counted are committed.
 *
 * @param deleted the number of items deleted
 * @param changed the number of items that were left because they had been written since they were
 *     read
 * @param versionstamp the newest delete; null before the first
 * @param elapsed the time since the subscription
 */
public record DeleteProgress(
    long deleted, long changed, @Nullable Versionstamp versionstamp, Duration elapsed) {}
