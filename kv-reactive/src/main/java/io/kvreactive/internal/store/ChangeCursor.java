package io.kvreactive.internal.store;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A position in the sequence of commits. Reads the commits after it, from memory if possible and
 * otherwise from the log. At rest it holds only a few numbers. Not thread-safe. Blocks.
 */
public final class ChangeCursor {
  private static final int RECENT_STEP = 4096;

  private final Store store;
  private final RecentCommits recent;
  private final @Nullable CommitLog log;
  private @Nullable LogReader reader;
  private long position;

  ChangeCursor(Store store, RecentCommits recent, @Nullable CommitLog log, long since) {
    this.store = store;
    this.recent = recent;
    this.log = log;
    this.position = since;
  }

  /** Returns the last version that was read and accepted. */
  public long position() {
    return position;
  }

  /** Skips to a version, if that is ahead. */
  public void skipTo(long version) {
    position = Math.max(position, version);
  }

  /** Returns the version after which every commit can be read. */
  public long oldest() {
    return log == null ? recent.from() : Math.min(log.oldest(), recent.from());
  }

  /**
   * Reads a bounded step.
   *
   * @param bytes the maximum number of bytes to read from the log
   * @param take returns true if it accepts a commit; a rejected commit ends the step and is read
   *     again by the next one
   * @return true if the newest version has been reached
   * @throws KvException COMPACTED, CORRUPT, IO_FAILED
   */
  public boolean read(int bytes, Predicate<CommitRecord> take) {
    long visible = store.visible();
    if (log != null && position < visible) {
      position = log.forward(position + 1) - 1;
    }
    if (position < visible && !readRecent(visible, take)) {
      readLog(visible, bytes, take);
    }
    return position >= visible;
  }

  /** Reads from memory; returns false if the next commit is not in memory any more. */
  private boolean readRecent(long visible, Predicate<CommitRecord> take) {
    int read = 0;
    for (CommitRecord commit : recent.after(position)) {
      if (commit.version() != position + 1) {
        break; // the commits in between were dropped
      }
      reader = null;
      read++;
      if (commit.version() > visible || read > RECENT_STEP || !take.test(commit)) {
        break;
      }
      position = commit.version();
    }
    return read > 0;
  }

  private void readLog(long visible, int bytes, Predicate<CommitRecord> take) {
    if (log == null) {
      throw KvException.compacted(Versionstamp.of(position), Versionstamp.of(recent.from()));
    }
    LogReader from = reader;
    if (from == null || from.position() != position) {
      from = log.reader(position);
      reader = from;
    }
    try {
      from.read(visible, bytes, take);
    } catch (IOException e) {
      throw IoFailures.of(e, Path.of("log"), "reading");
    } finally {
      position = from.position();
    }
  }
}
