package io.kvreactive.internal.store.log;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
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
 * The append-only truth of a store. One frame per group commit; a segment is filled, synced and
 * followed by the next. Room is written with zeros ahead of the frames, because a sync that need
 * not change the file's size is two to three times as fast (docs/adr/0002).
 *
 * <p>Used by the store thread only, but for {@link #sync}, which may overlap appends, and for
 * {@link #reader}, {@link #pin} and {@link #oldest}, which any thread may call.
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

  /** Held while a file is synced: that it failed the medium may tell one caller alone. */
  private final Object syncing = new Object();

  private @Nullable IOException unsynced; // guarded by syncing: what is on the medium is unknown

  private volatile DataFile file;
  private Segment segment;
  private long tail;
  private long allocated;
  private ByteBuffer frame = newBuffer(BATCH_BUFFER);
  private int count;
  private long next; // version of the next commit
  private int wanted; // bytes of a frame for which there was no room
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
   * Opens the log behind what {@link LogRecovery} found: new frames go to a new segment.
   *
   * @param segmentBytes a segment that has grown to this is followed by another
   * @param retention what is kept of segments that the image does not need
   * @param recovered what was found
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
    if (empty != null && !exists) { // only now: it says which versions were skipped before
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
        e.addSuppressed(undeleted); // without a frame it is no harm; a second attempt reuses it
      }
      throw e;
    }
    return created;
  }

  /**
   * Opens files for no other purpose than to have descriptors when a segment is created, which
   * takes one for the file and one for the directory. Without them too, a segment is created as
   * soon as the system has descriptors again.
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
  public void add(List<AppliedMutation> effects) {
    long needed = frame.position() + CommitCodec.maxSize(effects) + Frame.ALIGNMENT;
    if (needed > frame.capacity()) {
      ByteBuffer larger = newBuffer(Math.toIntExact(Math.max(needed, 2L * frame.capacity())));
      frame = larger.put(frame.flip());
    }
    CommitCodec.write(frame, effects);
    count++;
  }

  /** Bytes of the frame so far. */
  public int pendingBytes() {
    return frame.position();
  }

  /**
   * Writes the pending commits as one frame. On failure the log is as before and the pending
   * commits are dropped; but a SyncFailedException tells that a full segment may not be on the
   * medium.
   *
   * @param first version of the first pending commit
   * @param durable the last version known to be on the medium
   * @throws NotReadyException when the next segment could not be created
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

  /** Creates the next segment where it is needed, and writes the room for a frame. */
  private void makeReady(int length) throws IOException {
    wanted = length;
    if (tail + length > segmentBytes && tail > Segment.HEADER) {
      roll(next);
    }
    allocate(tail + length);
    wanted = 0;
  }

  /** Does what the last {@link #append} failed to do before it wrote, if it did. */
  public void makeReady() throws IOException {
    if (wanted > 0) {
      makeReady(wanted);
    }
  }

  /**
   * Lets the next commit have a later version; for copies of a log that skips versions.
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
   * Writes the closing frame of an orderly stop. Everything must have been synced; nothing may be
   * appended from here on.
   */
  public void finish(long millis) throws IOException {
    long at =
        (tail + Frame.CLOSING_ALIGNMENT - 1) / Frame.CLOSING_ALIGNMENT * Frame.CLOSING_ALIGNMENT;
    ByteBuffer closing = newBuffer(Math.toIntExact(at - tail) + Frame.HEADER);
    ByteBuffer header = closing.slice((int) (at - tail), Frame.HEADER).position(Frame.HEADER);
    Frame.finish(header, salt, next, 0, next - 1, millis);
    file.resize(tail); // what an append that failed may have left behind the last frame
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

  /** Returns when all appended frames are on the medium. After a failure it fails for ever. */
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
      file.resize(tail); // what an append that failed may have left behind the last frame
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
    // grow by as much as there is, so that small stores stay small
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
   * Deletes the segments that hold no version after {@code version}, but for those that are kept.
   */
  public void dropThrough(long version, long nowMillis) throws IOException {
    segments.drop(version, nowMillis, false);
  }

  /** Deletes the segments that hold no version after {@code version}, but for pinned ones. */
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

  /** Returns the first version, from one on, that is not skipped. Thread-safe. */
  public long forward(long version) {
    return segments.forward(version);
  }

  /** Returns true if a version may have been given out in a history that was lost. Thread-safe. */
  public boolean isLost(long version) {
    return segments.isLost(version);
  }

  /** Bytes of all segments, without the room ahead of the last frame. */
  public long bytes() {
    return segments.closedBytes() + tail;
  }

  /** How many segments there are. */
  public int segmentCount() {
    return segments.count();
  }

  /** Reads the commits after a version. */
  public LogReader reader(long since) {
    return new LogReader(segments, salt, since);
  }

  /**
   * Looks through the log for damage. Any thread; what it reads should be pinned.
   *
   * @param since commits after it are visited
   * @param through the last version to look at; it must have been written
   */
  public LogCheck scan(long since, long through, LogCheck.Visitor visitor) {
    return new LogCheck(segments.from(since + 1), store, since, through, visitor);
  }

  /**
   * Keeps every commit from a version on in the log, until what this returns is closed.
   *
   * @throws io.kvreactive.KvException COMPACTED when it has been dropped
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
