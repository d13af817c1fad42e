package io.kvreactive.internal.store.log;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log, oldest first; the last one is being written. One thread adds and drops;
 * any thread reads and pins.
 */
final class LogSegments {
  private static final long UNKNOWN = -1;

  private final Disk disk;
  private final Path directory;
  private final LogRetention retention;
  private final ConcurrentSkipListMap<Long, Kept> segments = new ConcurrentSkipListMap<>();
  private final List<Pin> pins = new ArrayList<>();
  private long closedBytes; // of all but the last
  private @Nullable Segment dropped; // still to be deleted

  private static final class Kept {
    final Segment segment;
    long bytes;
    long firstMillis = UNKNOWN;

    Kept(Segment segment) {
      this.segment = segment;
    }
  }

  /** A pin, which keeps segments until it is closed. */
  private final class Pin implements AutoCloseable {
    final long version;

    Pin(long version) {
      this.version = version;
    }

    @Override
    public void close() {
      synchronized (pins) {
        pins.remove(this);
      }
    }
  }

  LogSegments(Disk disk, Path directory, LogRetention retention) {
    this.disk = disk;
    this.directory = directory;
    this.retention = retention;
  }

  /** Adds a segment that an earlier process has filled. */
  void addRecovered(Segment segment) throws IOException {
    Kept kept = new Kept(segment);
    kept.bytes = Files.size(segment.path());
    closedBytes += kept.bytes;
    segments.put(segment.first(), kept);
  }

  /**
   * Adds the segment that is written from now on.
   *
   * @param lastBytes the final size of the previous segment
   */
  void addCurrent(Segment segment, long lastBytes) {
    Map.Entry<Long, Kept> last = segments.lastEntry();
    if (last != null && last.getValue().bytes == 0) {
      last.getValue().bytes = lastBytes;
      closedBytes += lastBytes;
    }
    segments.put(segment.first(), new Kept(segment));
  }

  /** Records the time of the last segment's first frame. */
  void began(long millis) {
    segments.lastEntry().getValue().firstMillis = millis;
  }

  /** Returns the bytes of all but the last segment. */
  long closedBytes() {
    return closedBytes;
  }

  int count() {
    return segments.size();
  }

  /** Returns the version after which every commit is present. Thread-safe. */
  long oldest() {
    return segments.firstEntry().getValue().segment.previous();
  }

  /** Returns the first version, at least the given one, that is not skipped. Thread-safe. */
  long forward(long version) {
    Segment skipping = skipping(version);
    return skipping == null ? version : skipping.first();
  }

  /** Returns true if a version may have been assigned in a history that was lost. Thread-safe. */
  boolean isLost(long version) {
    Segment skipping = skipping(version);
    return skipping != null && skipping.hasSkipped(version);
  }

  private @Nullable Segment skipping(long version) {
    Map.Entry<Long, Kept> next = segments.higherEntry(version);
    return next != null && next.getValue().segment.previous() < version
        ? next.getValue().segment
        : null;
  }

  /**
   * Returns the segment that has a version, or if that was skipped, the next one. Thread-safe.
   *
   * @throws KvException COMPACTED if it has been dropped
   */
  Segment holding(long version) {
    Map.Entry<Long, Kept> floor = segments.floorEntry(forward(version));
    if (floor == null) {
      throw KvException.compacted(Versionstamp.of(version - 1), Versionstamp.of(oldest()));
    }
    return floor.getValue().segment;
  }

  /** Returns the present segments that have versions from one on. Thread-safe. */
  List<Segment> from(long version) {
    Long first = segments.floorKey(forward(version));
    Map<Long, Kept> from = first == null ? segments : segments.tailMap(first);
    return from.values().stream().map(kept -> kept.segment).toList();
  }

  /**
   * Keeps all commits from a version on until the returned pin is closed. Thread-safe.
   *
   * @throws KvException COMPACTED if they have been dropped
   */
  AutoCloseable pin(long version) {
    Pin pin = new Pin(version);
    synchronized (pins) {
      pins.add(pin);
    }
    try {
      Segment unused = holding(version);
    } catch (KvException e) {
      pin.close();
      throw e;
    }
    return pin;
  }

  /**
   * Deletes the segments without versions after {@code through} that are neither retained nor
   * pinned. Deletes one at a time, so that a power loss leaves no gap. A segment that could not be
   * deleted is deleted by the next call, before any other.
   *
   * @param all true to delete retained ones too; pinned ones are never deleted
   */
  void drop(long through, long nowMillis, boolean all) throws IOException {
    deleteDropped();
    while (segments.size() > 1) {
      Map.Entry<Long, Kept> oldest = segments.firstEntry();
      Map.Entry<Long, Kept> next = segments.higherEntry(oldest.getKey());
      boolean retained =
          !all && closedBytes <= retention.bytes() && !isOld(next.getValue(), nowMillis);
      if (next.getValue().segment.previous() > through
          || retained
          || !remove(oldest.getKey(), next.getKey())) {
        return;
      }
      closedBytes -= oldest.getValue().bytes;
      dropped = oldest.getValue().segment;
      deleteDropped();
    }
  }

  private void deleteDropped() throws IOException {
    Segment segment = dropped;
    if (segment != null) {
      disk.delete(segment.path());
      disk.syncDirectory(directory);
      dropped = null;
    }
  }

  private boolean remove(long first, long nextFirst) {
    synchronized (pins) { // so that a concurrent pin either finds the segment or fails
      for (Pin pin : pins) {
        if (pin.version < nextFirst) {
          return false;
        }
      }
      segments.remove(first);
      return true;
    }
  }

  /**
   * Returns true if a segment is older than the retention. Its frames are no newer than the first
   * frame of the next segment.
   */
  private boolean isOld(Kept next, long nowMillis) throws IOException {
    if (next.firstMillis == UNKNOWN) {
      next.firstMillis = readFirstMillis(next.segment);
    }
    return next.firstMillis != UNKNOWN && nowMillis - next.firstMillis > retention.millis();
  }

  private static long readFirstMillis(Segment segment) throws IOException {
    try (FileChannel file = FileChannel.open(segment.path(), StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(Frame.HEADER);
      while (header.hasRemaining()) {
        if (file.read(header, Segment.HEADER + (long) header.position()) < 0) {
          return UNKNOWN;
        }
      }
      return header.getInt(0) == Frame.MAGIC ? Frame.millis(header, 0) : UNKNOWN;
    } catch (NoSuchFileException e) {
      return UNKNOWN;
    }
  }
}
