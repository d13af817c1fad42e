package io.kvreactive.internal.store;

import io.kvreactive.ClockSources;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.log.LogRetention;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a store keeps its data.
 *
 * @param directory where its files are, or null for one in memory
 * @param disk the file operations
 * @param syncEveryCommit true if a commit is published only when it is on the medium
 * @param memtableBytes heap of a memtable at which it is frozen and written to the image
 * @param dirtyBytes heap of changed pages at which a checkpoint is taken on the way
 * @param segmentBytes size of a log segment
 * @param recentBytes heap for the newest commits, for those who follow changes and for range checks
 * @param retention how much of the log is kept for those who follow changes
 * @param oldValues true if the log carries the values before
 * @param idMillis how long a commit's id is remembered
 * @param clocks the clocks that the store's time is taken from
 */
public record StoreOptions(
    @Nullable Path directory,
    Disk disk,
    boolean syncEveryCommit,
    long memtableBytes,
    long dirtyBytes,
    long segmentBytes,
    long recentBytes,
    LogRetention retention,
    boolean oldValues,
    long idMillis,
    ClockSources clocks) {
  private static final long SEGMENT_BYTES = 16 << 20;
  private static final long MIN_RECENT = 16 << 20;
  private static final long ID_MILLIS = TimeUnit.DAYS.toMillis(1);

  /**
   * Returns the usual options.
   *
   * @param budget heap for a memtable, and for changed pages
   */
  public static StoreOptions of(@Nullable Path directory, boolean syncEveryCommit, long budget) {
    return of(directory, new FileDisk(), syncEveryCommit, budget, budget, SEGMENT_BYTES);
  }

  /** Where its files are, as failures tell it. */
  Path place() {
    return directory == null ? Path.of("memory") : directory;
  }

  /** Returns the same by another wall clock, in milliseconds since 1970. */
  public StoreOptions withWallClock(LongSupplier clock) {
    return withClocks(ClockSources.of(clock));
  }

  /** Returns the same by other clocks. */
  public StoreOptions withClocks(ClockSources clocks) {
    return new StoreOptions(
        directory,
        disk,
        syncEveryCommit,
        memtableBytes,
        dirtyBytes,
        segmentBytes,
        recentBytes,
        retention,
        oldValues,
        idMillis,
        clocks);
  }

  /**
   * Returns the same, keeping changes for those who follow them.
   *
   * @param retention of the log; without files, its bytes are kept on the heap, up to a share of it
   * @param oldValues true if the values before are kept too
   */
  public StoreOptions withChanges(LogRetention retention, boolean oldValues) {
    long recent = recentBytes;
    if (directory == null) {
      long share = Math.max(MIN_RECENT, Runtime.getRuntime().maxMemory() / 16);
      recent = Math.max(recent, Math.min(retention.bytes(), share));
    }
    return new StoreOptions(
        directory,
        disk,
        syncEveryCommit,
        memtableBytes,
        dirtyBytes,
        segmentBytes,
        recent,
        retention,
        oldValues,
        idMillis,
        clocks);
  }

  /** Options with the usual values of what is not named. */
  public static StoreOptions of(
      @Nullable Path directory,
      Disk disk,
      boolean syncEveryCommit,
      long memtableBytes,
      long dirtyBytes,
      long segmentBytes) {
    return new StoreOptions(
        directory,
        disk,
        syncEveryCommit,
        memtableBytes,
        dirtyBytes,
        segmentBytes,
        memtableBytes / 4,
        LogRetention.NONE,
        false,
        ID_MILLIS,
        ClockSources.system());
  }
}
