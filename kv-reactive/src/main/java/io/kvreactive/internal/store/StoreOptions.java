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

  /** Files on the disk, and this much heap for a generation, and for changed pages. */
  public static StoreOptions sized(
      @Nullable Path directory, boolean syncEveryCommit, long memoryBytes) {
    return new StoreOptions(
        directory, new FileDisk(), syncEveryCommit, memoryBytes, memoryBytes, 16 * MIB);
  }
}
