package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A reader of commits from the log while the log is being written, in steps of bounded size.
 * Between two steps it holds only a few numbers: no file is open and no buffer is kept. Not
 * thread-safe.
 */
public final class LogReader {
  private final LogSegments segments;
  private final long salt;
  private long next; // next version to be read

  private @Nullable Segment segment;
  private long frameAt; // of the frame with the next version, or of an earlier frame
  // true if the frame has been verified, so that the following fields are valid
  private boolean inFrame;
  private long frameLast;
  private long frameMillis;
  private long frameEnd;
  private long followingAt;
  private long commitAt;
  private long commitVersion;

  LogReader(LogSegments segments, long salt, long since) {
    this.segments = segments;
    this.salt = salt;
    this.next = since + 1;
  }

  /** Returns the last version that was accepted, or the last of the skipped versions after it. */
  public long position() {
    return next - 1;
  }

  /**
   * Passes commits to a consumer in order, until a number of bytes has been read.
   *
   * @param through the last version to be read, which must have been written
   * @param bytes the number of bytes to read; at least one complete frame is read
   * @param take returns true if it accepts a commit; a rejected commit ends the read and is the
   *     first of the next one
   * @throws KvException COMPACTED if a commit is no longer in the log; CORRUPT, naming the file and
   *     the offset
   */
  public void read(long through, int bytes, Predicate<CommitRecord> take) throws IOException {
    long left = bytes;
    while (next <= through && left > 0) {
      next = segments.forward(next);
      Segment holding = segments.holding(next);
      if (!holding.equals(segment)) {
        segment = holding;
        frameAt = Segment.HEADER;
        inFrame = false;
      }
      try (FileChannel file = FileChannel.open(holding.path(), StandardOpenOption.READ)) {
        LogWindow window = new LogWindow(file);
        left = read(holding, window, through, left, take);
      } catch (NoSuchFileException e) {
        if (holding.equals(segments.holding(next)) && !Files.exists(holding.path())) {
          throw corrupt(holding, 0, "the file is missing");
        }
      }
    }
  }

  /**
   * Reads from one segment. Returns the number of bytes left to read; negative if a commit was
   * rejected.
   */
  private long read(
      Segment from, LogWindow window, long through, long bytes, Predicate<CommitRecord> take)
      throws IOException {
    long left = bytes;
    while (next <= through && left > 0) {
      if (!inFrame) {
        if (!from.equals(segments.holding(next))) {
          return left;
        }
        left = Math.max(0, left - enterFrame(from, window));
        continue;
      }
      long start = commitAt;
      CommitRecord commit = commit(from, window);
      if (commit.version() == next) {
        if (!take.test(commit)) {
          commitAt = start;
          return -1;
        }
        next++;
      }
      left = Math.max(0, left - (commitAt - start));
      commitVersion++;
      if (commitVersion > frameLast) {
        inFrame = false;
        frameAt = followingAt;
      }
    }
    return left;
  }

  /**
   * Enters the frame that has the next version, or skips an earlier frame. Returns the cost in
   * bytes.
   */
  private long enterFrame(Segment from, LogWindow window) throws IOException {
    ByteBuffer header = window.at(frameAt, Frame.HEADER);
    int length = header == null ? -1 : Frame.payloadLength(header, header.position());
    if (header == null || length < 0) {
      throw corrupt(from, frameAt, "the frame of version " + next + " is damaged");
    }
    long last = Frame.last(header, header.position());
    if (last < next && Frame.first(header, header.position()) <= last) {
      frameAt += Frame.aligned(Frame.HEADER + length);
      return Frame.HEADER;
    }
    ByteBuffer whole = window.at(frameAt, Frame.HEADER + (long) length);
    Frame frame = whole == null ? null : Frame.read(whole, salt, whole.position());
    if (frame == null) {
      throw corrupt(from, frameAt, "the frame of version " + next + " is damaged");
    }
    if (frame.first() > next) {
      throw corrupt(from, frameAt, "version " + frame.first() + " instead of " + next);
    }
    inFrame = true;
    frameLast = frame.last();
    frameMillis = frame.millis();
    commitAt = frameAt + Frame.HEADER;
    commitVersion = frame.first();
    frameEnd = commitAt + length;
    followingAt = frameAt + Frame.aligned(Frame.HEADER + length);
    return Frame.HEADER;
  }

  /** Reads the commit at {@link #commitAt} and advances. The frame is known to be complete. */
  private CommitRecord commit(Segment from, LogWindow window) throws IOException {
    long rest = frameEnd - commitAt;
    long wanted = Math.min(rest, LogWindow.MIN_READ);
    while (true) {
      ByteBuffer in = window.at(commitAt, wanted);
      if (in == null) {
        throw corrupt(from, commitAt, "version " + commitVersion + " is cut off");
      }
      in.limit((int) Math.min(in.limit(), in.position() + rest));
      int start = in.position();
      int available = in.remaining();
      try {
        List<StoredChange> effects = CommitCodec.read(in);
        commitAt += in.position() - start;
        return new CommitRecord(commitVersion, frameMillis, effects);
      } catch (IllegalArgumentException e) {
        if (available == rest) {
          String what = "version " + commitVersion + " cannot be read: " + e.getMessage();
          throw corrupt(from, commitAt, what);
        }
        wanted = Math.min(rest, 4L * available); // the commit ends after the bytes that were read
      }
    }
  }

  private static KvException corrupt(Segment segment, long offset, String what) {
    return new KvException(
        KvErrorCode.CORRUPT, segment.path() + " at offset " + offset + ": " + what);
  }
}
