package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.ReadOnlyDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Reads the log of a directory without changing anything. The store may be closed, killed, or
 * running. A torn tail is the end of the log.
 */
public final class LogScan {
  /** A consumer of commits in order. */
  @FunctionalInterface
  public interface Taker {
    /** Returns true if it accepts a commit; a rejected commit ends the scan. */
    boolean take(CommitRecord commit) throws IOException;
  }

  /**
   * Maximum number of attempts. A frame that is read while it is written can look damaged when the
   * next one is already complete, and segments may be dropped. A repeated finding is real.
   */
  private static final int ATTEMPTS = 5;

  private static final Disk DISK = new ReadOnlyDisk();

  private final Path directory;
  private final UUID store;
  private final Taker taker;
  private long last;
  private long next;

  /** Ends the scan early. */
  private static final class Enough extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private LogScan(Path directory, UUID store, long since, Taker taker) {
    this.directory = directory;
    this.store = store;
    this.last = since;
    this.taker = taker;
  }

  /**
   * Passes the commits after a version to a consumer, up to the end of the log or the first
   * rejected one.
   *
   * @param store the id of the store to which the log must belong
   * @return the lowest version that the store may assign next, as far as the log was read; at least
   *     the version after the last accepted one
   * @throws KvException COMPACTED if the first of them has been dropped, or if the log skips {@code
   *     since}; CORRUPT, naming the file and the offset, if one is damaged or missing
   */
  public static long read(Path directory, UUID store, long since, Taker taker) throws IOException {
    LogScan scan = new LogScan(directory, store, since, taker);
    for (int attempt = 1; !scan.attempt(attempt == ATTEMPTS); attempt++) {}
    return Math.max(scan.next, scan.last + 1);
  }

  private boolean attempt(boolean lastOne) throws IOException {
    try {
      checkOldest();
      LogRecovery read = LogRecovery.read(DISK, directory, store, last, this::commit);
      next = read.next();
      return true;
    } catch (Enough e) {
      return true;
    } catch (NoSuchFileException e) {
      if (lastOne) {
        throw e;
      }
    } catch (KvException e) {
      if (lastOne || e.code() != KvErrorCode.CORRUPT) {
        throw e;
      }
    }
    return false;
  }

  private void checkOldest() throws IOException {
    List<Segment> segments = LogRecovery.list(directory);
    if (segments.isEmpty()) {
      throw new KvException(KvErrorCode.CORRUPT, directory + " has no log (expected: a segment)");
    }
    long oldest = segments.get(0).previous();
    if (oldest > last) {
      throw KvException.compacted(Versionstamp.of(last), Versionstamp.of(oldest));
    }
  }

  private void commit(CommitRecord commit) throws IOException {
    if (!taker.take(commit)) {
      next = commit.version() + 1;
      throw new Enough();
    }
    last = commit.version();
  }
}
