package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvStats;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of a store.
 *
 * @param visible the newest visible version
 * @param horizon the newest visible version that cannot be lost in a crash
 * @param lastCommitMillis the time of the newest commit, in milliseconds since 1970; 0 if unknown
 * @param failure the reason why no commits are taken, or null if commits are taken
 * @param imageBytes the bytes of the image
 * @param logBytes the bytes of the frames in the log, and of the headers of its segments
 * @param logSegments the number of files of the log
 * @param memoryBytes the estimated heap of the memtables
 * @param snapshots the number of held snapshots
 * @param oldestSnapshotMillis the age of the oldest of them
 * @param oldestSnapshotLag the number of versions since the oldest one
 * @param clock the store's clock
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
