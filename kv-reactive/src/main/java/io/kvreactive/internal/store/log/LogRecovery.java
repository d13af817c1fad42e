package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Reads a log back: cuts off what a crash left torn, refuses what is damaged.
 *
 * <p>Torn and damaged are told apart by the versions that frames name as durable. A bad place is a
 * torn tail when no whole frame behind it says that the version of that place was on the medium;
 * otherwise an answered commit would be lost, and opening fails with CORRUPT.
 */
public final class LogRecovery {
  /** Receives the commits in order. */
  @FunctionalInterface
  public interface Visitor {
    void commit(Committed commit) throws IOException;
  }

  private static final long NO_FRAME = -1;

  private final Disk disk;
  private final UUID store;
  private final long salt;
  private final long from;
  private final Visitor visitor;
  private final List<Segment> kept = new ArrayList<>();
  private long last;
  private long lastMillis;
  private long replayedBytes;

  private LogRecovery(Disk disk, UUID store, long from, Visitor visitor) {
    this.disk = disk;
    this.store = store;
    this.salt = Frame.salt(store);
    this.from = from;
    this.visitor = visitor;
    this.last = from;
  }

  /**
   * Replays the log of a directory.
   *
   * @param from the version that the image holds; commits after it are visited
   * @throws KvException CORRUPT, naming the file and the offset
   */
  public static LogRecovery replay(
      Disk disk, Path directory, UUID store, long from, Visitor visitor) throws IOException {
    LogRecovery recovery = new LogRecovery(disk, store, from, visitor);
    List<Segment> segments = list(directory);
    for (int i = 0; i < segments.size(); i++) {
      boolean newest = i == segments.size() - 1;
      if (!newest && segments.get(i + 1).first() <= from + 1) {
        recovery.kept.add(segments.get(i)); // all of it is in the image
      } else {
        recovery.segment(segments.get(i), newest);
      }
    }
    disk.syncDirectory(directory);
    return recovery;
  }

  /** The last version in the log, or {@code from} when the log has nothing newer. */
  public long last() {
    return last;
  }

  /** The latest time that a frame carries, milliseconds since 1970; 0 when there is none. */
  public long lastMillis() {
    return lastMillis;
  }

  /** Bytes of the frames that were visited. */
  public long replayedBytes() {
    return replayedBytes;
  }

  List<Segment> segments() {
    return kept;
  }

  static List<Segment> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(Segment::parse)
          .filter(s -> s != null)
          .sorted(Comparator.comparingLong(Segment::first))
          .toList();
    }
  }

  private void segment(Segment segment, boolean newest) throws IOException {
    try (DataFile file = disk.open(segment.path())) {
      // read, not mapped: a mapping would outlive the cut below
      ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(file.size()));
      file.read(bytes, 0);
      bytes.flip();
      if (!segment.hasHeader(bytes)) {
        if (!newest || newestDurable(bytes, salt, Segment.HEADER) != NO_FRAME) {
          throw corrupt(segment, 0, "the header is damaged");
        }
        disk.delete(segment.path()); // made, but not yet used, when the process ended
        return;
      }
      segment.checkBelongs(bytes, store);
      int end = frames(segment, bytes, newest);
      if (end == Segment.HEADER) {
        disk.delete(segment.path());
        return;
      }
      if (newest) {
        file.resize(end);
        file.sync(); // what is shown from now on must be durable
      }
      kept.add(segment);
    }
  }

  private int frames(Segment segment, ByteBuffer bytes, boolean newest) throws IOException {
    int at = Segment.HEADER;
    long expected = segment.first();
    while (at < bytes.limit()) {
      Frame frame = Frame.read(bytes, salt, at);
      if (frame == null) {
        boolean torn = newest ? newestDurable(bytes, salt, at) < expected : zeros(bytes, at);
        if (!torn) {
          throw corrupt(segment, at, "the frame of version " + expected + " is damaged");
        }
        return at;
      }
      if (frame.first() != expected) {
        throw corrupt(segment, at, "version " + frame.first() + " where " + expected + " belongs");
      }
      visit(segment, at, frame);
      expected = frame.last() + 1;
      at += frame.length();
    }
    return at;
  }

  private void visit(Segment segment, int at, Frame frame) throws IOException {
    lastMillis = Math.max(lastMillis, frame.millis());
    if (frame.last() <= from) {
      return;
    }
    if (frame.first() > last + 1) {
      throw corrupt(
          segment,
          at,
          "version " + frame.first() + " follows " + last + "; what was between is missing");
    }
    replayedBytes += frame.length();
    ByteBuffer payload = frame.payload();
    for (long version = frame.first(); version <= frame.last(); version++) {
      List<Effect> effects;
      try {
        effects = CommitCodec.read(payload);
      } catch (IllegalArgumentException e) {
        throw corrupt(segment, at, "version " + version + " cannot be read: " + e.getMessage());
      }
      if (version > from) {
        visitor.commit(new Committed(version, frame.millis(), effects));
        last = version;
      }
    }
  }

  /** The newest version that a whole frame behind {@code from} names as durable; -1 for none. */
  static long newestDurable(ByteBuffer bytes, long salt, int from) {
    long newest = NO_FRAME;
    int at = from;
    while (at <= bytes.limit() - Frame.HEADER) {
      Frame frame = Frame.read(bytes, salt, at);
      newest = frame == null ? newest : Math.max(newest, frame.durable());
      at += frame == null ? Frame.ALIGNMENT : frame.length();
    }
    return newest;
  }

  static boolean zeros(ByteBuffer bytes, int from) {
    for (int at = from; at < bytes.limit(); at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private static KvException corrupt(Segment segment, int offset, String what) {
    return new KvException(
        KvErrorCode.CORRUPT, segment.path() + " at offset " + offset + ": " + what);
  }
}
