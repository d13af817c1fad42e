package io.kvreactive.internal.store.backup;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** Copies commits of one store to the new log of another, with the same versions and times. */
final class CommitCopy implements Closeable {
  private static final long SEGMENT_BYTES = 16 << 20;
  private static final int FRAME_BYTES = 1 << 20;

  private final CommitLog log;
  private long written; // last version in a written frame
  private long first; // version of the first commit in no written frame
  private long last;
  private long next;
  private long millis;

  /**
   * Creates the log.
   *
   * @param directory a directory without a log
   * @param store the id of the store to which the log will belong
   * @param since the version before the first commit
   */
  CommitCopy(Disk disk, Path directory, UUID store, long since) throws IOException {
    this.log = CommitLog.create(disk, directory, store, SEGMENT_BYTES, since);
    this.written = since;
    this.last = since;
    this.first = since + 1;
    this.next = since + 1;
  }

  /** Adds the next commit. The commits of a frame have the same time and consecutive versions. */
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

  /** Returns the time of the last commit that was added; 0 if there is none. */
  long millis() {
    return millis;
  }

  /**
   * Makes everything durable.
   *
   * @param following the version of the next commit of the new store
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
   * Writes a frame that names all earlier versions as durable. This is true before the copy can be
   * read, and prevents damage from being mistaken for a torn tail.
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
