package io.kvreactive.internal.store.log;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.ReadOnlyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The damage for which a log is rejected, and the cut that repairs it. The log must not be open.
 *
 * @param file the file with the first damage
 * @param offset the offset of the first unusable byte
 * @param what the damage
 * @param reached the version of the last commit in the log before the damage
 * @param last the version of the last commit that a cut leaves, in the log or in the image
 * @param newest the newest version that is known to have been assigned; a cut loses the commits
 *     from {@code last + 1} up to it
 */
public record LogCut(Path file, long offset, String what, long reached, long last, long newest) {
  /**
   * Finds the damage in a log, without changing anything.
   *
   * @param image the version of the image: commits up to it are not lost
   * @return null if the log can be opened
   */
  public static @Nullable LogCut find(Path directory, UUID store, long image) throws IOException {
    LogRecovery.Damage damage = LogRecovery.damage(new ReadOnlyDisk(), directory, store, image);
    if (damage == null) {
      return null;
    }
    long last = Math.max(damage.last(), image);
    return new LogCut(
        damage.segment().path(),
        damage.offset(),
        damage.what(),
        damage.last(),
        last,
        Math.max(last, newest(directory, store, damage)));
  }

  private static long newest(Path directory, UUID store, LogRecovery.Damage damage)
      throws IOException {
    long newest = damage.last();
    for (Segment segment : LogRecovery.list(directory)) {
      if (segment.first() >= damage.segment().first()) {
        newest = Math.max(newest, newest(segment, store));
      }
    }
    return newest;
  }

  private static long newest(Segment segment, UUID store) throws IOException {
    try (DataFile file = new ReadOnlyDisk().open(segment.path())) {
      ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(file.size()));
      file.read(bytes, 0);
      bytes.flip();
      FrameScan frames = new FrameScan(bytes, Frame.salt(store), Segment.HEADER, segment.first());
      int last = frames.last();
      return last < 0 ? segment.first() - 1 : Frame.of(bytes, last).last();
    }
  }

  /**
   * Cuts off the log at the damage, and reserves a version for the next commit that was never
   * visible. A crash meanwhile leaves either a log that is still rejected, or the cut one.
   *
   * @param image the version of the image
   * @param millis the wall clock in milliseconds since 1970
   * @return the lowest possible version of the next commit
   */
  public long apply(Disk disk, Path directory, UUID store, long image, long millis)
      throws IOException {
    Segment damaged = Segment.read(file);
    if (damaged == null) {
      throw new IllegalArgumentException("file: " + file + " (expected: a segment of the log)");
    }
    List<Segment> segments = LogRecovery.list(directory);
    Segment following =
        Segment.in(directory, last, VersionSkip.newHistory(Math.max(newest, last), millis));
    try (DataFile created = disk.open(following.path())) {
      created.resize(0);
      created.write(following.header(store), 0);
      created.sync();
    }
    disk.syncDirectory(directory);
    boolean needed = reached >= image; // otherwise the image has more than is left of the log
    for (Segment segment : segments) {
      boolean behind = segment.first() > damaged.first();
      boolean isEmpty = segment.first() == damaged.first() && offset <= Segment.HEADER;
      if (behind || isEmpty || !needed) {
        disk.delete(segment.path());
      }
    }
    disk.syncDirectory(directory);
    if (needed && offset > Segment.HEADER) {
      try (DataFile cut = disk.open(damaged.path())) {
        cut.resize(offset);
        cut.sync();
      }
    }
    return following.first();
  }
}
