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
  private static final long MIB = 1 << 20;

  /**
   * Budgets that suit the heap: a sixteenth for a generation and for changed pages, 4 to 64 MiB.
   */
  public static StoreOptions sized(
      @Nullable Path directory, boolean syncEveryCommit, long maxHeapBytes) {
    long budget = Math.max(4 * MIB, Math.min(64 * MIB, maxHeapBytes / 16));
    return new StoreOptions(directory, new FileDisk(), syncEveryCommit, budget, budget, 16 * MIB);
  }
}
