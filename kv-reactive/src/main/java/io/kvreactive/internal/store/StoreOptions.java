package io.kvreactive.internal.store;

import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.log.LogRetention;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a store. Immutable; start from {@link #of}.
 *
 * @param directory the directory of the files, or null for a store in memory
 * @param disk the file operations
 * @param syncEveryCommit true if a commit is published only when it is on the medium
 * @param memtableBytes the heap of a memtable at which it is frozen and written to the image
 * @param dirtyBytes the heap of changed pages at which an early checkpoint is taken
 * @param segmentBytes the size of a log segment
 * @param recentBytes the heap for the newest commits, for change feeds and range checks
 * @param retention the part of the log that is kept for change feeds
 * @param oldValues true if the log has the previous values
 * @param idMillis the time for which a commit's id is remembered, in milliseconds
 * @param clocks the clocks of the store's time
 */
@Value.Builder
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
    ClockSources clocks)
    implements WithStoreOptions {
  private static final long SEGMENT_BYTES = 16 << 20;
  private static final long MIN_RECENT = 16 << 20;
  private static final long ID_MILLIS = TimeUnit.DAYS.toMillis(1);

  /**
   * Returns the default options.
   *
   * @param budget the heap of a memtable, and of changed pages
   */
  public static StoreOptions of(@Nullable Path directory, boolean syncEveryCommit, long budget) {
    return of(directory, new FileDisk(), syncEveryCommit, budget, budget, SEGMENT_BYTES);
  }

  /** Returns the directory for messages, or "memory". */
  Path place() {
    return directory == null ? Path.of("memory") : directory;
  }

  /** Returns these options with another wall clock, in milliseconds since 1970. */
  public StoreOptions withWallClock(LongSupplier clock) {
    return withClocks(ClockSources.of(clock));
  }

  /**
   * Returns these options with changes kept for change feeds.
   *
   * @param retention the retention of the log; without files, its bytes are kept on the heap, up to
   *     a share of the heap
   * @param oldValues true to keep the previous values too
   */
  public StoreOptions withChanges(LogRetention retention, boolean oldValues) {
    long recent = recentBytes;
    if (directory == null) {
      long share = Math.max(MIN_RECENT, Runtime.getRuntime().maxMemory() / 16);
      recent = Math.max(recent, Math.min(retention.bytes(), share));
    }
    return new StoreOptionsBuilder()
        .from(this)
        .recentBytes(recent)
        .retention(retention)
        .oldValues(oldValues)
        .build();
  }

  /** Returns options with the default values of all other components. */
  public static StoreOptions of(
      @Nullable Path directory,
      Disk disk,
      boolean syncEveryCommit,
      long memtableBytes,
      long dirtyBytes,
      long segmentBytes) {
    return new StoreOptionsBuilder()
        .directory(directory)
        .disk(disk)
        .syncEveryCommit(syncEveryCommit)
        .memtableBytes(memtableBytes)
        .dirtyBytes(dirtyBytes)
        .segmentBytes(segmentBytes)
        .recentBytes(memtableBytes / 4)
        .retention(LogRetention.NONE)
        .oldValues(false)
        .idMillis(ID_MILLIS)
        .clocks(ClockSources.system())
        .build();
  }
}
