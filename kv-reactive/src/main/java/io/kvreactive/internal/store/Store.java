package io.kvreactive.internal.store;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Failures;
import io.kvreactive.internal.store.image.Image;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.spi.Commit;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One store: stages commits, writes them to the log as a batch, publishes them. One thread stages
 * and publishes; {@link #snapshot} may be called from any thread; {@link #writeImage} and {@link
 * #syncLog} run on a thread of their own beside it.
 */
public final class Store {
  /** A generation is also frozen when the log behind it has grown to this many segments. */
  private static final int MAX_SEGMENTS_PER_GENERATION = 4;

  private static final int MAX_RANGE_DELETIONS = 32;
  private static final long RETRY_FULL_DISK_NANOS = 200_000_000;

  private final StoreOptions options;
  private final @Nullable DirectoryLock lock;
  private final @Nullable CommitLog log;
  private final Image image;
  private final ImageWriter imageWriter;
  private final Generations generations;

  private StoreView latest;
  private final List<Effect> staged = new ArrayList<>();
  private long lastStaged;
  private long bytesBeforeBatch;
  private long loggedSinceFreeze;
  private volatile long durable;
  private volatile @Nullable KvException failure;
  private volatile @Nullable KvException imageTrouble;
  private long fullSince;
  private @Nullable KvException full;

  private Store(
      StoreOptions options,
      @Nullable DirectoryLock lock,
      @Nullable CommitLog log,
      Image image,
      Generations generations,
      long version,
      long replayedBytes) {
    this.options = options;
    this.lock = lock;
    this.log = log;
    this.image = image;
    this.imageWriter = new ImageWriter(image, options.dirtyBytes());
    this.generations = generations;
    this.latest = generations.latest();
    this.lastStaged = version;
    this.durable = version;
    this.loggedSinceFreeze = replayedBytes; // so that restarts alone cannot make the log grow
  }

  /**
   * Opens or creates a store; reads the log back. Blocks. {@link #start} comes next.
   *
   * @param writeImage asked for when {@link #writeImage} should be called, on another thread
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static Store open(StoreOptions options, Runnable writeImage) {
    Path directory = options.directory();
    if (directory == null) {
      Image image = Image.inMemory();
      Generations empty = new Generations(image, new Memtable(), null, 0, 0, writeImage);
      return new Store(options, null, null, image, empty, 0, 0);
    }
    DirectoryLock lock = null;
    Image image = null;
    try {
      createDirectory(options, directory);
      lock = DirectoryLock.acquire(directory);
      UUID id = StoreIdentity.of(options.disk(), directory);
      image = Image.open(options.disk(), directory);
      Recovery recovery = new Recovery(image, options);
      LogRecovery log =
          LogRecovery.replay(options.disk(), directory, id, image.version(), recovery);
      CommitLog opened =
          CommitLog.open(
              options.disk(), directory, id, options.segmentBytes(), log, log.last() + 1);
      Generations recovered = recovery.generations(log.last(), writeImage);
      return new Store(options, lock, opened, image, recovered, log.last(), log.replayedBytes());
    } catch (IOException e) {
      KvException failure = Failures.of(e, directory, "opening the store");
      closeAfter(failure, lock, image);
      throw failure;
    } catch (RuntimeException | Error e) {
      closeAfter(e, lock, image);
      throw e;
    }
  }

  private static void createDirectory(StoreOptions options, Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        options.disk().syncDirectory(parent);
      }
    }
  }

  private static void closeAfter(
      Throwable failure, @Nullable DirectoryLock lock, @Nullable Image image) {
    try (lock;
        image) {
      return;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Goes on with what the last process left undone. Once, when {@code writeImage} may be called.
   */
  public void start() {
    generations.writeFrozenIfUnneeded();
  }

  /**
   * Evaluates a commit and adds it to the batch. What it answers counts only after {@link
   * #publish}.
   *
   * @throws KvException when the commit cannot be applied; it has had no effect
   */
  public CommitResult stage(Commit commit) {
    checkWritable();
    List<Integer> failed = CommitEvaluator.failedChecks(latest, commit.checks());
    if (!failed.isEmpty()) {
      return CommitResult.conflict(failed);
    }
    if (staged.isEmpty()) {
      bytesBeforeBatch = latest.active().bytes();
    }
    long version = lastStaged + 1;
    List<Effect> effects = CommitEvaluator.effects(latest, commit.mutations(), version);
    try {
      add(effects, version);
    } catch (RuntimeException | Error e) { // half of it is staged: nothing may follow
      KvException defect = new KvException(KvErrorCode.INTERNAL, "staging failed: " + e, e);
      failure = defect;
      throw defect;
    }
    lastStaged = version;
    return CommitResult.committed(Versionstamp.of(version));
  }

  private void add(List<Effect> effects, long version) {
    if (log != null) {
      log.add(effects);
    }
    long keepFrom = generations.oldestNeeded();
    for (Effect effect : effects) {
      if (effect.end() != null) {
        latest.active().deleteRange(effect.key(), effect.end(), version);
      } else {
        latest.active().put(effect.key(), version, effect.value(), keepFrom);
      }
      staged.add(effect);
    }
  }

  private void checkNotFailed() {
    KvException failed = failure;
    if (failed != null) {
      throw new KvException(failed.code(), "the store has failed: " + failed.detail(), failed);
    }
  }

  private void checkWritable() {
    checkNotFailed();
    KvException noRoom = full;
    if (noRoom != null && System.nanoTime() - fullSince < RETRY_FULL_DISK_NANOS) {
      throw noRoom;
    }
  }

  /** Bytes of the batch so far. */
  public int stagedBytes() {
    return log == null ? 0 : log.pendingBytes();
  }

  /**
   * Makes the batch durable and visible.
   *
   * @return what the batch changed, in order
   * @throws KvException DISK_FULL when nothing of the batch has happened; IO_FAILED when that is
   *     unknown, and the store takes no more commits
   */
  public List<Effect> publish() {
    long visible = generations.visible();
    if (lastStaged == visible) {
      return List.of();
    }
    checkNotFailed();
    if (log != null) {
      write(log, visible);
    }
    generations.publish(lastStaged);
    List<Effect> published = List.copyOf(staged);
    staged.clear();
    freezeWhenLarge();
    return published;
  }

  private void write(CommitLog log, long visible) {
    int bytes = log.pendingBytes();
    try {
      log.append(visible + 1, durable, System.currentTimeMillis());
    } catch (SyncFailedException e) { // of the segment before
      unstage(visible);
      throw syncFailed(e);
    } catch (IOException e) {
      KvException failed = Failures.of(e, directory(), "writing the log");
      unstage(visible);
      if (failed.code() == KvErrorCode.DISK_FULL) {
        full = failed;
        fullSince = System.nanoTime();
      } else {
        failure = failed;
      }
      throw failed;
    }
    full = null;
    loggedSinceFreeze += bytes;
    if (options.syncEveryCommit()) {
      sync(log);
      durable = lastStaged;
    }
  }

  private void sync(CommitLog log) {
    try {
      log.sync();
    } catch (IOException e) {
      throw syncFailed(e);
    }
  }

  /** What a failed sync has left on the medium is unknown: never go on from here. */
  private KvException syncFailed(IOException e) {
    KvException failed = new KvException(KvErrorCode.IO_FAILED, "syncing the log failed: " + e, e);
    failure = failed;
    return failed;
  }

  private void unstage(long visible) {
    latest.active().rollback(staged.stream().map(Effect::key).toList(), visible, bytesBeforeBatch);
    staged.clear();
    lastStaged = visible;
  }

  private void freezeWhenLarge() {
    Memtable active = latest.active();
    boolean large =
        active.bytes() >= options.generationBytes()
            || loggedSinceFreeze >= MAX_SEGMENTS_PER_GENERATION * options.segmentBytes()
            || active.deletions().size() >= MAX_RANGE_DELETIONS;
    if (large && generations.frozen() == null) {
      loggedSinceFreeze = 0;
      generations.freeze();
      latest = generations.latest();
    } else if (memoryFull()) {
      generations.endOldSnapshots();
    }
  }

  /**
   * Whether memory is full because the image falls behind: the caller should not stage until {@link
   * #imageWritten} has been called.
   *
   * @throws KvException when the image cannot be written: DISK_FULL until there is room again
   */
  public boolean isFull() {
    checkNotFailed();
    boolean isFull = memoryFull();
    KvException trouble = imageTrouble;
    if (isFull && trouble != null) {
      throw trouble;
    }
    return isFull;
  }

  private boolean memoryFull() {
    return latest.active().bytes() >= 2 * options.generationBytes() && generations.frozen() != null;
  }

  /** Holds the newest published state. Any thread. */
  public Snapshot snapshot() {
    return generations.snapshot();
  }

  /**
   * Writes the frozen generation to the image. Blocks for as long as that takes; on a thread of its
   * own.
   *
   * @return whether it is done; if not, call again later, or never when the store is being closed
   */
  public boolean writeImage() {
    Memtable frozen = generations.frozen();
    if (frozen == null) {
      return true;
    }
    long version = generations.frozenVersion();
    try {
      syncLog();
      boolean done = imageWriter.write(frozen, version);
      imageTrouble = null;
      return done;
    } catch (IOException e) {
      imageFailed(e);
      return false;
    } catch (KvException e) {
      failure = e;
      return false;
    } catch (RuntimeException | Error e) { // also a page that could not be read: half-way in MapDB
      failure = new KvException(KvErrorCode.INTERNAL, "writing the image failed: " + e, e);
      return false;
    }
  }

  private void imageFailed(IOException e) {
    KvException trouble = Failures.of(e, directory(), "writing the image");
    imageTrouble = trouble;
    if (trouble.code() != KvErrorCode.DISK_FULL) {
      failure = trouble;
    }
  }

  /** Drops what the image now holds. On the thread that stages, after {@link #writeImage}. */
  public void imageWritten() {
    if (generations.frozen() == null) {
      return;
    }
    generations.thaw();
    latest = generations.latest();
    if (log != null) {
      try {
        log.dropThrough(image.version());
      } catch (IOException e) {
        failure = Failures.of(e, directory(), "deleting old log segments");
      }
    }
    freezeWhenLarge();
  }

  /**
   * Makes everything published durable. Any thread.
   *
   * @throws KvException IO_FAILED, and the store takes no more commits
   */
  public void syncLog() {
    long published = generations.visible();
    if (log != null && durable < published) {
      sync(log);
      durable = Math.max(durable, published);
    }
  }

  /** The failure after which the store takes no more commits; null while there is none. */
  public @Nullable KvException failure() {
    return failure;
  }

  /** Takes no more commits from here on. */
  public void fail(KvException cause) {
    failure = cause;
  }

  /** Makes a running {@link #writeImage} return soon. Any thread. */
  public void stopWritingImage() {
    imageWriter.stop();
  }

  /** Closes the files; nothing else may be running. What the image lacks is in the log. */
  public void close() throws IOException {
    try (lock;
        image;
        log) {
      if (failure == null) {
        syncLog();
      }
    }
  }

  private Path directory() {
    Path directory = options.directory();
    return directory == null ? Path.of("memory") : directory;
  }
}
