package io.kvreactive.internal.store.log;

import io.kvreactive.KvException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log to find all damage: after a damaged place it continues with the next complete frame.
 * Changes nothing. Works in steps, between which it holds one segment in memory. Not thread-safe.
 */
public final class LogCheck {
  /**
   * The kinds of damage, and {@code TORN}, a torn tail, which a crash may leave and the next open
   * cuts off.
   */
  public enum Fault {
    SEGMENT,
    FRAME,
    COMMIT,
    GAP,
    ORDER,
    TORN
  }

  /** A damaged place. */
  public record Damage(Fault fault, Path file, long offset, String what, String expected) {}

  /** Receives the findings, in the order of the files. */
  public interface Visitor {
    void segment(Path file);

    void frame();

    void commit(CommitRecord commit);

    void damage(Damage damage);
  }

  private static final long ALL = Long.MAX_VALUE;
  private static final long UNKNOWN = -1;

  private final List<Segment> segments;
  private final UUID store;
  private final long salt;
  private final long since;
  private final long through;
  private final Visitor visitor;

  private int index;
  private @Nullable Segment segment;
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int at;
  private int written; // end of the last frame without its padding
  private @Nullable FrameScan scan;
  private long expected = UNKNOWN;
  private long previous = UNKNOWN; // last commit before the expected one
  private long reached;

  private @Nullable ByteBuffer payload;
  private long version;
  private int left;
  private long frameAt;
  private long millis;

  LogCheck(List<Segment> segments, UUID store, long since, long through, Visitor visitor) {
    this.segments = segments;
    this.store = store;
    this.salt = Frame.salt(store);
    this.since = since;
    this.through = through;
    this.visitor = visitor;
  }

  /** Returns a check of a log that is not open, whose tail may be torn. */
  public static LogCheck of(Path directory, UUID store, Visitor visitor) throws IOException {
    return new LogCheck(LogRecovery.list(directory), store, 0, ALL, visitor);
  }

  /** Returns true if a directory has files of a log. */
  public static boolean isLog(Path directory) throws IOException {
    return Files.isDirectory(directory) && !LogRecovery.list(directory).isEmpty();
  }

  /**
   * Returns the version of the last commit before the log, from its first header; -1 if there is no
   * segment.
   */
  public long previous() {
    return segments.isEmpty() ? UNKNOWN : segments.get(0).previous();
  }

  /** Returns the newest version found. */
  public long reached() {
    return reached;
  }

  /** Returns the first file of the log, or null. */
  public @Nullable Path firstFile() {
    return segments.isEmpty() ? null : segments.get(0).path();
  }

  /** Returns the last file of the log, or null. */
  public @Nullable Path lastFile() {
    return segments.isEmpty() ? null : segments.get(segments.size() - 1).path();
  }

  /**
   * Reads the next segment, frame or commit.
   *
   * @return false at the end
   */
  public boolean next() throws IOException {
    ByteBuffer commits = payload;
    Segment current = segment;
    if (commits != null) {
      commit(commits);
    } else if (current != null) {
      frame(current);
    } else if (index < segments.size()) {
      open(segments.get(index++));
    } else {
      buffer = ByteBuffer.allocate(0);
      return false;
    }
    return true;
  }

  private boolean isTail() {
    return through == ALL && index == segments.size();
  }

  private void open(Segment next) throws IOException {
    visitor.segment(next.path());
    if (expected != UNKNOWN && next.previous() != previous) {
      outOfPlace(next, 0, next.first());
    }
    expected = next.first();
    previous = next.previous();
    reached = Math.max(reached, previous);
    scan = null;
    if (!load(next)) {
      damage(Fault.GAP, next, 0, "the file is missing", "versions from " + expected + " on");
      expected = UNKNOWN;
      return;
    }
    if (!next.hasHeader(buffer)) {
      if (isTail() && scan(next, Segment.HEADER).last() < 0) {
        damage(Fault.TORN, next, 0, "the segment has no header yet", "a header");
        return;
      }
      damage(Fault.SEGMENT, next, 0, "the header is damaged", "the header of a segment");
    } else {
      try {
        next.checkBelongs(buffer, store);
      } catch (KvException e) {
        damage(Fault.SEGMENT, next, 0, e.detail(), "the segment of the file's name");
      }
    }
    segment = next;
    at = Segment.HEADER;
    written = at;
  }

  private boolean load(Segment next) throws IOException {
    try (FileChannel file = FileChannel.open(next.path(), StandardOpenOption.READ)) {
      int size = Math.toIntExact(file.size());
      buffer = buffer.capacity() >= size ? buffer.clear() : ByteBuffer.allocateDirect(size);
      buffer.limit(size);
      while (buffer.hasRemaining() && file.read(buffer, buffer.position()) >= 0) {
        // until the buffer is full or the file ends
      }
      buffer.flip();
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private void frame(Segment current) {
    if (at >= buffer.limit() || expected > through) {
      segment = null;
      return;
    }
    Frame frame = Frame.read(buffer, salt, at);
    if (frame == null) {
      unreadable(current);
      return;
    }
    if (frame.first() != expected) {
      outOfPlace(current, at, frame.first());
    }
    if (frame.last() > since && !frame.isClosing()) {
      visitor.frame();
    }
    if (frame.isClosing()) {
      if (!LogRecovery.zeros(buffer, written, at)) {
        damage(Fault.FRAME, current, written, "bytes before the closing frame", "zeros");
      }
      segment = null;
      return;
    }
    previous = frame.last();
    expected = previous + 1;
    payload = frame.payload();
    version = frame.first();
    left = frame.count();
    millis = frame.millis();
    frameAt = at;
    written = at + Frame.HEADER + frame.payload().limit();
    at += frame.length();
  }

  private FrameScan scan(Segment current, int from) {
    FrameScan frames = scan;
    if (frames == null) {
      frames = new FrameScan(buffer, salt, from, current.first());
      scan = frames;
    }
    return frames;
  }

  private void unreadable(Segment current) {
    boolean mayBeTorn = through == ALL;
    if (mayBeTorn && LogRecovery.zeros(buffer, at, buffer.limit())) {
      segment = null;
      return;
    }
    FrameScan behind = scan(current, at);
    int next = behind.next(at);
    Frame found = next < 0 ? null : Frame.of(buffer, next);
    if (found != null && found.isClosing() && found.first() == expected && isPadding(next)) {
      at = next;
      return;
    }
    if (isTail() && behind.newestDurable(at) < expected && behind.closing() == null) {
      damage(Fault.TORN, current, at, "a frame is incomplete", "version " + expected + " or none");
      segment = null;
      return;
    }
    String lost = found == null ? "" : ", intact frames continue with version " + found.first();
    damage(Fault.FRAME, current, at, "a frame is damaged" + lost, "version " + expected);
    if (found == null) {
      segment = null;
      expected = UNKNOWN;
    } else {
      at = next;
      written = at;
      expected = found.first();
      previous = expected - 1;
    }
  }

  private boolean isPadding(int closing) {
    return closing - at < Frame.CLOSING_ALIGNMENT && LogRecovery.zeros(buffer, written, closing);
  }

  private void outOfPlace(Segment where, long offset, long found) {
    Fault fault = found > expected ? Fault.GAP : Fault.ORDER;
    damage(fault, where, offset, "version " + found, "version " + expected);
  }

  private void commit(ByteBuffer commits) {
    try {
      CommitRecord commit = new CommitRecord(version, millis, CommitCodec.read(commits));
      reached = Math.max(reached, version);
      if (version > since && version <= through) {
        visitor.commit(commit);
      }
    } catch (IllegalArgumentException | KvException e) {
      Segment current = segment;
      if (current != null) {
        String what = "version " + version + " cannot be read: " + e.getMessage();
        damage(Fault.COMMIT, current, frameAt, what, "a commit");
      }
      left = 1; // the position of the next commit is unknown
    }
    version++;
    if (--left == 0) {
      payload = null;
    }
  }

  private void damage(Fault fault, Segment where, long offset, String what, String expected) {
    visitor.damage(new Damage(fault, where.path(), offset, what, expected));
  }
}
