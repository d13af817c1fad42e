package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a store keeps its data.
 *
 * @param directory where its files are; null for one in memory
 * @param disk the file operations
 * @param syncEveryCommit whether a commit is published only when it is on the medium
 * @param generationBytes heap of a generation at which it is frozen and written to the image
 * @param dirtyBytes heap of changed pages at which a checkpoint is taken on the way
 * @param segmentBytes size of a log segment
 */
public record StoreOptions(
    @Nullable Path directory,
    Disk disk,
    boolean syncEveryCommit,
    long generationBytes,
    long dirtyBytes,
    long segmentBytes) {
  private static final long SEGMENT_BYTES = 16 << 20;

  /**
   * The usual options.
   *
   * @param budget heap for a generation, and for changed pages
   */
  public static StoreOptions of(@Nullable Path directory, boolean syncEveryCommit, long budget) {
    return new StoreOptions(
        directory, new FileDisk(), syncEveryCommit, budget, budget, SEGMENT_BYTES);
  }
}
