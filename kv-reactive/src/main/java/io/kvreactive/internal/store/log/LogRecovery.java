package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays a log: cuts off the torn tail that a crash has left, and rejects damage.
 *
 * <p>The two are distinguished by the versions that frames name as durable. An invalid place is a
 * torn tail if no complete frame after it names the version of that place as durable. Otherwise an
 * answered commit would be lost, and opening fails with CORRUPT. The closing frame of an orderly
 * stop names every commit as durable.
 *
 * <p>After any other stop the next versions are skipped, because readers may have seen versions
 * that are lost ({@link VersionSkip}).
 */
public final class LogRecovery {
  /** Receives the commits in order. */
  @FunctionalInterface
  public interface Visitor {
    void commit(CommitRecord commit) throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final Disk disk;
  private final UUID store;
  private final long salt;
  private final long from;
  private final long timesFrom;
  private final boolean repairs;
  private final Visitor visitor;
  private final List<Segment> kept = new ArrayList<>();
  private @Nullable Damage damage;
  private @Nullable Segment empty;
  private boolean closed;
  private long last;
  private long lastSkipped;
  private long lastMillis;
  private long replayedBytes;

  /**
   * The extent of a segment's frames.
   *
   * @param end the offset after the last commit
   * @param proven the offset after the frames that are known to be on the medium
   * @param closed true if the store was stopped in good order
   * @param torn true if the bytes after the end are neither zeros nor a closing frame
   */
  private record Extent(int end, int proven, boolean closed, boolean torn) {}

  /**
   * A place for which the log is rejected.
   *
   * @param offset the offset of the first unusable byte
   * @param last the version of the last commit before it, or the last skipped version
   */
  record Damage(Segment segment, int offset, long last, String what) {}

  private LogRecovery(
      Disk disk, UUID store, long from, long timesFrom, boolean repairs, Visitor visitor) {
    this.disk = disk;
    this.store = store;
    this.salt = Frame.salt(store);
    this.from = from;
    this.timesFrom = timesFrom;
    this.repairs = repairs;
    this.visitor = visitor;
    this.last = from;
  }

  /** Replays the log of a directory whose clock was never set. */
  public static LogRecovery replay(
      Disk disk, Path directory, UUID store, long from, Visitor visitor) throws IOException {
    return replay(disk, directory, store, from, 0, visitor);
  }

  /**
   * Replays the log of a directory and prepares it for appending: cuts off a torn tail. Everything
   * that is visited is on the medium before it is visited.
   *
   * @param from the version of the image, after which commits are visited
   * @param timesFrom the version after which the times of commits count, because the store's clock
   *     was set there; 0 for all
   * @throws KvException CORRUPT, naming the file and the offset
   */
  public static LogRecovery replay(
      Disk disk, Path directory, UUID store, long from, long timesFrom, Visitor visitor)
      throws IOException {
    LogRecovery recovery = new LogRecovery(disk, store, from, timesFrom, true, visitor);
    recovery.run(directory);
    disk.syncDirectory(directory);
    return recovery;
  }

  /**
   * Replays the log of a directory without changing anything.
   *
   * @param from the version after which commits are visited
   * @throws KvException CORRUPT, naming the file and the offset; COMPACTED if the log skips {@code
   *     from}
   */
  static LogRecovery read(Disk disk, Path directory, UUID store, long from, Visitor visitor)
      throws IOException {
    LogRecovery recovery = new LogRecovery(disk, store, from, 0, false, visitor);
    recovery.run(directory);
    return recovery;
  }

  /** Returns the first place for which opening rejects a log, or null. */
  static @Nullable Damage damage(Disk disk, Path directory, UUID store, long from)
      throws IOException {
    LogRecovery recovery = new LogRecovery(disk, store, from, 0, false, commit -> {});
    try {
      recovery.run(directory);
    } catch (KvException e) {
      if (recovery.damage == null) {
        throw e;
      }
    }
    return recovery.damage;
  }

  private void run(Path directory) throws IOException {
    List<Segment> segments = list(directory);
    closed = segments.isEmpty() && from == 0;
    for (int i = 0; i < segments.size(); i++) {
      boolean newest = i == segments.size() - 1;
      if (!newest && segments.get(i + 1).previous() <= from) {
        kept.add(segments.get(i)); // the image has all of it
      } else {
        segment(segments.get(i), newest);
      }
    }
  }

  /** Returns the last version in the log, or {@code from} if the log has nothing newer. */
  public long last() {
    return last;
  }

  /** Returns the version of the next commit; the versions between it and the last are skipped. */
  public long next() {
    long newest = Math.max(last, lastSkipped);
    return closed ? newest + 1 : VersionSkip.afterCrash(newest);
  }

  /**
   * Returns the latest time of a frame whose time counts, in milliseconds since 1970; 0 if there is
   * none.
   */
  public long lastMillis() {
    return lastMillis;
  }

  /** Returns the bytes of the frames that were visited. */
  public long replayedBytes() {
    return replayedBytes;
  }

  /** Returns the segments that have commits, oldest first. */
  List<Segment> segments() {
    return kept;
  }

  /** Returns the newest segment if it has no commits, else null. */
  @Nullable Segment empty() {
    return empty;
  }

  static List<Segment> list(Path directory) throws IOException {
    List<Path> paths;
    try (Stream<Path> files = Files.list(directory)) {
      paths = files.toList();
    }
    List<Segment> segments = new ArrayList<>();
    for (Path path : paths) {
      Segment segment = Segment.read(path);
      if (segment != null) {
        segments.add(segment);
      }
    }
    segments.sort(Comparator.comparingLong(Segment::first));
    return segments;
  }

  private void segment(Segment segment, boolean newest) throws IOException {
    try (DataFile file = disk.open(segment.path())) {
      // read, not mapped: a mapping would outlive the cut below
      ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(file.size()));
      file.read(bytes, 0);
      bytes.flip();
      if (!segment.hasHeader(bytes)) {
        withoutHeader(segment, bytes, newest);
        return;
      }
      checkPlace(segment, bytes);
      if (!repairs && segment.hasSkipped(from)) {
        throw KvException.lost(Versionstamp.of(from), Versionstamp.of(segment.first() - 1));
      }
      Extent extent = extent(segment, bytes, newest);
      closed = extent.closed;
      lastSkipped = Math.max(lastSkipped, segment.first() - 1);
      if (newest && repairs) {
        settle(segment, file, bytes, extent);
      }
      if (extent.end > Segment.HEADER) {
        visit(segment, bytes, extent.end);
        kept.add(segment);
      } else if (newest) {
        empty = segment;
      } else if (repairs) {
        disk.delete(segment.path());
      }
    }
  }

  private void checkPlace(Segment segment, ByteBuffer bytes) {
    try {
      segment.checkBelongs(bytes, store);
    } catch (KvException e) {
      damage = new Damage(segment, 0, last, e.detail());
      throw e;
    }
    if (segment.previous() > last) {
      throw corrupt(
          segment,
          Segment.HEADER,
          last,
          "version " + segment.first() + " follows " + last + "; the versions between are missing");
    }
    if (last > from && segment.previous() < last) {
      throw corrupt(
          segment,
          Segment.HEADER,
          last,
          "version " + segment.first() + " instead of " + (last + 1));
    }
  }

  /** Handles a segment that was created, but not used yet, when the process ended. */
  private void withoutHeader(Segment segment, ByteBuffer bytes, boolean newest) throws IOException {
    FrameScan frames = new FrameScan(bytes, salt, Segment.HEADER, segment.first());
    if (!newest || frames.last() >= 0) {
      throw corrupt(segment, 0, last, "the header is damaged");
    }
    lastSkipped = Math.max(lastSkipped, segment.first() - 1);
    if (!repairs) {
      return;
    }
    if (!zeros(bytes, 0, bytes.limit())) {
      LOG.warn(
          "{} at offset 0: the segment has no whole header and is deleted;"
              + " the log ends with version {}",
          segment.path(),
          last);
    }
    disk.delete(segment.path());
  }

  private Extent extent(Segment segment, ByteBuffer bytes, boolean newest) {
    long expected = segment.first();
    long durable = FrameScan.NONE;
    int at = Segment.HEADER;
    int proven = at;
    int written = at; // end of the last frame without its padding
    while (at < bytes.limit()) {
      Frame frame = Frame.read(bytes, salt, at);
      if (frame == null || frame.isClosing()) {
        break;
      }
      if (frame.first() != expected) {
        throw corrupt(
            segment,
            at,
            before(segment, at, expected),
            "version " + frame.first() + " instead of " + expected);
      }
      if (frame.durable() > durable) {
        durable = frame.durable();
        proven = provenEnd(bytes, proven, at, durable);
      }
      expected = frame.last() + 1;
      written = at + Frame.HEADER + frame.payload().limit();
      at += frame.length();
    }
    if (zeros(bytes, at, bytes.limit())) {
      return new Extent(at, proven, false, false);
    }
    FrameScan behind = new FrameScan(bytes, salt, at, segment.first());
    Frame closing = behind.closing();
    if (behind.newestDurable(at) >= expected || closing == null && !newest) {
      throw corrupt(
          segment,
          at,
          before(segment, at, expected),
          "the frame of version " + expected + " is damaged");
    }
    if (closing == null) {
      return new Extent(at, proven, false, true);
    }
    if (!zeros(bytes, written, behind.last())) {
      throw corrupt(
          segment,
          at,
          before(segment, at, expected),
          "the bytes before the closing frame are damaged");
    }
    return new Extent(at, at, true, false);
  }

  /** Returns the offset after the last frame, counted from an offset, whose commits are durable. */
  private static int provenEnd(ByteBuffer bytes, int from, int to, long durable) {
    int at = from;
    while (at < to && Frame.last(bytes, at) <= durable) {
      at += Frame.of(bytes, at).length();
    }
    return at;
  }

  /**
   * Makes the tail durable before it is visible. Frames that are not known to be on the medium are
   * written again: after a failed sync, the operating system marks the pages that it dropped as
   * clean, and another sync would do nothing.
   */
  private void settle(Segment segment, DataFile file, ByteBuffer bytes, Extent extent)
      throws IOException {
    if (extent.torn) {
      LOG.warn(
          "{} at offset {}: the tail of the log is torn and is cut off; the log ends with version"
              + " {}, and no answered commit is lost unless the medium had lost it",
          segment.path(),
          extent.end,
          extent.end == Segment.HEADER ? segment.previous() : last(bytes, extent.end));
    }
    if (extent.proven < extent.end) {
      file.write(bytes.slice(extent.proven, extent.end - extent.proven), extent.proven);
    }
    file.resize(extent.end);
    file.sync();
  }

  /** Returns the last version of the frames that end at an offset. */
  private static long last(ByteBuffer bytes, int end) {
    int at = Segment.HEADER;
    int frame = at;
    while (at < end) {
      frame = at;
      at += Frame.of(bytes, at).length();
    }
    return Frame.last(bytes, frame);
  }

  private void visit(Segment segment, ByteBuffer bytes, int end) throws IOException {
    int at = Segment.HEADER;
    while (at < end) {
      Frame frame = Frame.of(bytes, at);
      visit(segment, at, frame);
      at += frame.length();
    }
  }

  private void visit(Segment segment, int at, Frame frame) throws IOException {
    if (frame.last() > timesFrom) {
      lastMillis = Math.max(lastMillis, frame.millis());
    }
    if (frame.last() <= from) {
      return;
    }
    replayedBytes += frame.length();
    ByteBuffer payload = frame.payload();
    for (long version = frame.first(); version <= frame.last(); version++) {
      List<StoredChange> effects;
      try {
        effects = CommitCodec.read(payload);
      } catch (IllegalArgumentException e) {
        String what = "version " + version + " cannot be read: " + e.getMessage();
        throw corrupt(segment, at, before(segment, at, frame.first()), what);
      }
      if (version > from) {
        visitor.commit(new CommitRecord(version, frame.millis(), effects));
        last = version;
      }
    }
  }

  static boolean zeros(ByteBuffer bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the version of the last commit before a place. */
  private static long before(Segment segment, int at, long version) {
    return at == Segment.HEADER ? segment.previous() : version - 1;
  }

  private KvException corrupt(Segment segment, int offset, long before, String what) {
    damage = new Damage(segment, offset, before, what);
    return new KvException(
        KvErrorCode.CORRUPT, segment.path() + " at offset " + offset + ": " + what);
  }
}
