package io.kvreactive.internal.store.backup;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** Writes commits of one store to the new log of another: same versions, same times. */
final class CommitCopy implements Closeable {
  private static final long SEGMENT_BYTES = 16 << 20;
  private static final int FRAME_BYTES = 1 << 20;

  private final CommitLog log;
  private long written; // the last version in a frame
  private long first; // the version of the first commit that is in no frame
  private long last;
  private long next;
  private long millis;

  /**
   * @param directory without a log
   * @param store the id of the store whose log it will be
   * @param since the version before the first commit
   */
  CommitCopy(Disk disk, Path directory, UUID store, long since) throws IOException {
    this.log = CommitLog.create(disk, directory, store, SEGMENT_BYTES, since);
    this.written = since;
    this.last = since;
    this.first = since + 1;
    this.next = since + 1;
  }

  /**
   * Adds the next commit. A frame has one time for all its commits, whose versions follow each
   * other.
   */
  void add(CommitRecord commit) throws IOException {
    if (commit.version() < next) {
      throw new IllegalArgumentException(
          "version: " + commit.version() + " (expected: at least " + next + ")");
    }
    boolean skips = commit.version() > next;
    if (last > written
        && (skips || commit.millis() != millis || log.pendingBytes() >= FRAME_BYTES)) {
      writeFrame();
    }
    if (skips) {
      log.skipTo(commit.version());
      first = commit.version();
    }
    log.add(commit.effects());
    last = commit.version();
    next = last + 1;
    millis = commit.millis();
  }

  /** Returns the version of the last commit that was added. */
  long last() {
    return last;
  }

  /** Its time; 0 when there is none. */
  long millis() {
    return millis;
  }

  /**
   * Makes what was added durable.
   *
   * @param following the version of the next commit of the store whose log it is
   */
  void finish(long following) throws IOException {
    if (last > written) {
      writeFrame();
    }
    log.skipTo(following);
    log.sync();
    log.finish(millis);
  }

  /**
   * Says that all before it is on the medium, which is so when anybody can read it; so that damage
   * is never taken for a torn tail.
   */
  private void writeFrame() throws IOException {
    log.append(first, written, millis);
    written = last;
    first = last + 1;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
