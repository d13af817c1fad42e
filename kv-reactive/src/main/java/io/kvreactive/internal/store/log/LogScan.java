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
 * Reads the log of a directory without changing anything: of a store that is closed, was killed, or
 * is running meanwhile. A torn tail is where the log ends.
 */
public final class LogScan {
  /** Takes commits in order. */
  @FunctionalInterface
  public interface Taker {
    /** Returns true if it takes a commit; one that is refused ends the scan. */
    boolean take(CommitRecord commit) throws IOException;
  }

  /**
   * A frame that is read while it is written can look damaged when the one behind it is whole by
   * then; and segments may be dropped. What is found again and again is there.
   */
  private static final int ATTEMPTS = 5;

  private static final Disk DISK = new ReadOnlyDisk();

  private final Path directory;
  private final UUID store;
  private final Taker taker;
  private long last;
  private long next;

  /** Ends the reading from within. */
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
   * Gives out the commits after a version, up to the end of the log or the first that is refused.
   *
   * @param store whose log it must be
   * @return the first version that the store may give out next, as far as it was read; at least
   *     that behind the last version that was taken
   * @throws KvException COMPACTED when the first of them has been dropped, or when the log skips
   *     {@code since}; CORRUPT, naming the file and the offset, when one is damaged or missing
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
