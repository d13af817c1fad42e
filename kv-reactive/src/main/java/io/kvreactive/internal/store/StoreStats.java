package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvStats;
import org.jspecify.annotations.Nullable;

/**
 * How a store is doing.
 *
 * @param visible the newest version that readers see
 * @param horizon the newest one of those that no crash takes back
 * @param lastCommitMillis when the newest commit was made, milliseconds since 1970; 0: not known
 * @param failure why no commits are taken, or null if nothing is wrong
 * @param imageBytes of the image
 * @param logBytes of the frames in the log, and of the headers of its segments
 * @param logSegments files of the log
 * @param memoryBytes an estimate of the heap that the memtables take
 * @param snapshots how many are held
 * @param oldestSnapshotMillis for how long the oldest of those has been
 * @param oldestSnapshotLag versions since
 * @param clock the store's time
 */
public record StoreStats(
    long visible,
    long horizon,
    long lastCommitMillis,
    @Nullable KvErrorCode failure,
    long imageBytes,
    long logBytes,
    int logSegments,
    long memoryBytes,
    int snapshots,
    long oldestSnapshotMillis,
    long oldestSnapshotLag,
    KvStats.Clock clock) {}
