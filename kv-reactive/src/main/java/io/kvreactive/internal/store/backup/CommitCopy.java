package io.kvreactive.internal.store.backup;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.log.LogRetention;
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
  private long last;
  private long millis;

  /**
   * @param directory without a log
   * @param store the id of the store whose log it will be
   * @param since the version before the first commit
   */
  CommitCopy(Disk disk, Path directory, UUID store, long since) throws IOException {
    LogRecovery none = LogRecovery.replay(disk, directory, store, since, commit -> {});
    this.log =
        CommitLog.open(disk, directory, store, SEGMENT_BYTES, LogRetention.NONE, none, since + 1);
    this.written = since;
    this.last = since;
  }

  /** Adds the next commit. A frame has one time for all its commits. */
  void add(Committed commit) throws IOException {
    if (commit.version() != last + 1) {
      throw new IllegalArgumentException(
          "version: " + commit.version() + " (expected: " + (last + 1) + ")");
    }
    if (last > written && (commit.millis() != millis || log.pendingBytes() >= FRAME_BYTES)) {
      writeFrame();
    }
    log.add(commit.effects());
    last = commit.version();
    millis = commit.millis();
  }

  /** The version of the last commit that was added. */
  long last() {
    return last;
  }

  /** Its time; 0 when there is none. */
  long millis() {
    return millis;
  }

  /** Makes what was added durable. */
  void finish() throws IOException {
    if (last > written) {
      writeFrame();
    }
    log.sync();
  }

  /**
   * Says that all before it is on the medium, which is so when anybody can read it; so that damage
   * is never taken for a torn tail.
   */
  private void writeFrame() throws IOException {
    log.append(written + 1, written, millis);
    written = last;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
