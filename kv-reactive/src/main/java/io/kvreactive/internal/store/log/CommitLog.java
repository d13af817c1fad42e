package io.kvreactive.internal.store.log;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.spi.StoredChange;
import java.io.Closeable;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The append-only log, the authority for the content of a store. One frame per group commit. A full
 * segment is synced and followed by the next. Space is written with zeros ahead of the frames
 * (docs/adr/0002). A sync that does not change the file's size is two to three times as fast.
 *
 * <p>Confined to the store thread, except {@link #sync}, which may overlap appends, and {@link
 * #reader}, {@link #pin} and {@link #oldest}, which are thread-safe.
 */
public final class CommitLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);
  private static final int BATCH_BUFFER = 1 << 20;
  private static final int KEPT_BUFFER = 16 << 20;
  private static final int MIN_AHEAD = 64 << 10;
  private static final int MAX_AHEAD = 1 << 20;
  private static final int RESERVED = 2;

  private final Disk disk;
  private final Path directory;
  private final UUID store;
  private final long salt;
  private final long segmentBytes;
  private final LogSegments segments;

  /**
   * Held while a file is synced: the operating system may report a failure to only one of several
   * callers.
   */
  private final Object syncing = new Object();

  // guarded by syncing; the content of the medium is unknown
  private @Nullable IOException unsynced;

  private volatile DataFile file;
  private Segment segment;
  private long tail;
  private long allocated;
  private ByteBuffer frame = newBuffer(BATCH_BUFFER);
  private int count;
  private long next; // version of the next commit
  private int wanted; // bytes of a frame for which space could not be written
  private final List<DataFile> reserve = new ArrayList<>(RESERVED);

  private CommitLog(
      Disk disk,
      Path directory,
      UUID store,
      long segmentBytes,
      LogSegments segments,
      Segment current,
      boolean exists)
      throws IOException {
    this.disk = disk;
    this.directory = directory;
    this.store = store;
    this.salt = Frame.salt(store);
    this.segmentBytes = segmentBytes;
    this.segments = segments;
    this.segment = current;
    this.file = exists ? disk.open(current.path()) : create(current);
    this.tail = Segment.HEADER;
    this.allocated = Segment.HEADER;
    this.next = current.first();
    segments.addCurrent(segment, 0);
    frame.position(Frame.HEADER);
    reserve();
  }

  /**
   * Opens the log after {@link LogRecovery}: new frames go to a new segment.
   *
   * @param segmentBytes the size at which a segment is followed by another
   * @param retention the retention of segments that the image does not need
   * @param recovered the result of the recovery
   */
  public static CommitLog open(
      Disk disk,
      Path directory,
      UUID store,
      long segmentBytes,
      LogRetention retention,
      LogRecovery recovered)
      throws IOException {
    LogSegments segments = new LogSegments(disk, directory, retention);
    for (Segment segment : recovered.segments()) {
      segments.addRecovered(segment);
    }
    Segment empty = recovered.empty();
    Segment current =
        empty != null && empty.first() == recovered.next()
            ? empty
            : Segment.in(directory, recovered.last(), recovered.next());
    boolean exists = current.equals(empty);
    CommitLog log = new CommitLog(disk, directory, store, segmentBytes, segments, current, exists);
    if (empty != null && !exists) { // only now: its header has the skipped versions
      try {
        disk.delete(empty.path());
        disk.syncDirectory(directory);
      } catch (IOException e) {
        log.close();
        throw e;
      }
    }
    return log;
  }

  /**
   * Creates the log of a directory that has none.
   *
   * @param since the version before that of the first commit
   */
  public static CommitLog create(
      Disk disk, Path directory, UUID store, long segmentBytes, long since) throws IOException {
    LogSegments segments = new LogSegments(disk, directory, LogRetention.NONE);
    Segment first = Segment.in(directory, since, since + 1);
    return new CommitLog(disk, directory, store, segmentBytes, segments, first, false);
  }

  private DataFile create(Segment segment) throws IOException {
    releaseReserve();
    DataFile created = disk.open(segment.path());
    try {
      created.resize(0);
      created.write(segment.header(store), 0);
      created.sync();
      disk.syncDirectory(directory);
    } catch (IOException | RuntimeException e) {
      try (created) {
        disk.delete(segment.path());
      } catch (IOException undeleted) {
        e.addSuppressed(undeleted); // harmless without a frame; a second attempt reuses it
      }
      throw e;
    }
    return created;
  }

  /**
   * Opens spare descriptors, which are released when a segment is created: it takes one for the
   * file and one for the directory. If none are available, a segment can be created as soon as the
   * system has descriptors again.
   */
  private void reserve() {
    try {
      while (reserve.size() < RESERVED) {
        reserve.add(disk.open(segment.path()));
      }
    } catch (IOException e) {
      LOG.debug("no descriptors in reserve for the next segment of the log", e);
    }
  }

  private void releaseReserve() throws IOException {
    while (!reserve.isEmpty()) {
      reserve.remove(reserve.size() - 1).close();
    }
  }

  /** Adds a commit to the frame that {@link #append} will write. */
  public void add(List<StoredChange> effects) {
    long needed = frame.position() + CommitCodec.maxSize(effects) + Frame.ALIGNMENT;
    if (needed > frame.capacity()) {
      ByteBuffer larger = newBuffer(Math.toIntExact(Math.max(needed, 2L * frame.capacity())));
      frame = larger.put(frame.flip());
    }
    CommitCodec.write(frame, effects);
    count++;
  }

  /** Returns the bytes of the frame so far. */
  public int pendingBytes() {
    return frame.position();
  }

  /**
   * Writes the pending commits as one frame. On failure the log is unchanged and the pending
   * commits are dropped; but after a SyncFailedException a full segment may not be on the medium.
   *
   * @param first the version of the first pending commit
   * @param durable the last version known to be on the medium
   * @throws NotReadyException if the next segment could not be created
   */
  public void append(long first, long durable, long millis) throws IOException {
    try {
      Frame.finish(frame, salt, first, count, durable, millis);
      int length = frame.remaining();
      makeReady(length);
      file.write(frame, tail);
      if (tail == Segment.HEADER) {
        segments.began(millis);
      }
      tail += length;
      next = first + count;
    } finally {
      discard();
    }
  }

  /** Creates the next segment if necessary, and writes the space for a frame. */
  private void makeReady(int length) throws IOException {
    wanted = length;
    if (tail + length > segmentBytes && tail > Segment.HEADER) {
      roll(next);
    }
    allocate(tail + length);
    wanted = 0;
  }

  /** Retries the preparation that failed in the last {@link #append}, if it did. */
  public void makeReady() throws IOException {
    if (wanted > 0) {
      makeReady(wanted);
    }
  }

  /**
   * Raises the version of the next commit; for copies of a log that skips versions.
   *
   * @param to the version of the next commit, above that of the last one
   */
  public void skipTo(long to) throws IOException {
    if (to != next) {
      roll(to);
      next = to;
    }
  }

  /**
   * Writes the closing frame of an orderly stop. Everything must have been synced, and nothing may
   * be appended afterwards.
   */
  public void finish(long millis) throws IOException {
    long at =
        (tail + Frame.CLOSING_ALIGNMENT - 1) / Frame.CLOSING_ALIGNMENT * Frame.CLOSING_ALIGNMENT;
    ByteBuffer closing = newBuffer(Math.toIntExact(at - tail) + Frame.HEADER);
    ByteBuffer header = closing.slice((int) (at - tail), Frame.HEADER).position(Frame.HEADER);
    Frame.finish(header, salt, next, 0, next - 1, millis);
    file.resize(tail); // removes what a failed append may have left after the last frame
    file.write(closing, tail);
    sync();
  }

  /** Drops the pending commits. */
  public void discard() {
    if (frame.capacity() > KEPT_BUFFER) {
      frame = newBuffer(BATCH_BUFFER);
    }
    frame.clear().position(Frame.HEADER);
    count = 0;
  }

  /**
   * Returns when all appended frames are on the medium. After a failure, every later call fails
   * too.
   */
  public void sync() throws IOException {
    DataFile current = file;
    while (true) {
      try {
        sync(current);
        return;
      } catch (ClosedChannelException e) {
        if (current == file) {
          throw e;
        }
        current = file; // the segment was full and has been synced by the thread that rolled it
      }
    }
  }

  private void sync(DataFile current) throws IOException {
    synchronized (syncing) {
      if (unsynced != null) {
        throw new IOException("an earlier sync failed: " + unsynced, unsynced);
      }
      try {
        current.sync();
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        unsynced = e;
        throw e;
      }
    }
  }

  private void syncFullSegment() throws SyncFailedException {
    try {
      sync(file);
    } catch (IOException e) {
      SyncFailedException failed = new SyncFailedException(String.valueOf(e));
      failed.initCause(e);
      throw failed;
    }
  }

  private void roll(long first) throws IOException {
    boolean isEmpty = tail == Segment.HEADER;
    Segment following = Segment.in(directory, isEmpty ? segment.previous() : next - 1, first);
    try {
      file.resize(tail); // removes what a failed append may have left after the last frame
    } catch (IOException e) {
      throw new NotReadyException("cutting " + segment.path(), e);
    }
    allocated = tail;
    syncFullSegment();
    DataFile full = file;
    try {
      file = create(following);
    } catch (IOException e) {
      throw new NotReadyException("creating " + following.path(), e);
    }
    segment = following;
    segments.addCurrent(following, tail);
    tail = Segment.HEADER;
    allocated = Segment.HEADER;
    try {
      full.close();
    } catch (IOException e) {
      LOG.warn("a full segment of the log, which is on the medium, could not be closed", e);
    }
    reserve();
  }

  private void allocate(long end) throws IOException {
    if (end <= allocated) {
      return;
    }
    reserve();
    // doubles the size, so that small stores stay small
    long ahead = Math.max(MIN_AHEAD, Math.min(MAX_AHEAD, allocated));
    long target = Math.max(end, Math.min(allocated + ahead, Math.max(end, segmentBytes)));
    ByteBuffer zeros = newBuffer((int) Math.min(MAX_AHEAD, target - allocated));
    while (allocated < target) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), target - allocated));
      int length = zeros.remaining();
      file.write(zeros, allocated);
      allocated += length;
    }
  }

  /**
   * Deletes the segments without versions after {@code version} that are neither retained nor
   * pinned.
   */
  public void dropThrough(long version, long nowMillis) throws IOException {
    segments.drop(version, nowMillis, false);
  }

  /** Deletes the segments without versions after {@code version} that are not pinned. */
  public void dropRetained(long version) throws IOException {
    segments.drop(version, 0, true);
  }

  /** Returns the version of the next commit. */
  public long next() {
    return next;
  }

  /** Returns the version after which every commit is in the log. */
  public long oldest() {
    return segments.oldest();
  }

  /** Returns the first version, at least the given one, that is not skipped. Thread-safe. */
  public long forward(long version) {
    return segments.forward(version);
  }

  /** Returns true if a version may have been assigned in a history that was lost. Thread-safe. */
  public boolean isLost(long version) {
    return segments.isLost(version);
  }

  /** Returns the bytes of all segments, without the space ahead of the last frame. */
  public long bytes() {
    return segments.closedBytes() + tail;
  }

  /** Returns the number of segments. */
  public int segmentCount() {
    return segments.count();
  }

  /** Returns a reader of the commits after a version. Thread-safe. */
  public LogReader reader(long since) {
    return new LogReader(segments, salt, since);
  }

  /**
   * Returns a check of the log for damage. Thread-safe; the commits to be read should be pinned.
   *
   * @param since the version after which commits are visited
   * @param through the last version to be read, which must have been written
   */
  public LogCheck scan(long since, long through, LogCheck.Visitor visitor) {
    return new LogCheck(segments.from(since + 1), store, since, through, visitor);
  }

  /**
   * Keeps all commits from a version on in the log until the returned pin is closed. Thread-safe.
   *
   * @throws io.kvreactive.KvException COMPACTED if they have been dropped
   */
  public AutoCloseable pin(long version) {
    return segments.pin(version);
  }

  private static ByteBuffer newBuffer(int capacity) {
    return ByteBuffer.allocateDirect(capacity);
  }

  @Override
  public void close() throws IOException {
    DataFile current = file;
    try (current) {
      releaseReserve();
    }
  }
}
