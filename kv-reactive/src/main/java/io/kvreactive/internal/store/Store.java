package io.kvreactive.internal.store;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.LatencySummary;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.meter.Latencies;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Failures;
import io.kvreactive.internal.store.image.Image;
import io.kvreactive.internal.store.image.ImageFiles;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.spi.Commit;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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

  /** An image is built anew by itself when so many keys were removed from it, */
  private static final long MIN_REMOVED = 500_000;

  /** and so many times as many as are left: then that costs each of them little. */
  private static final long REMOVED_PER_KEY = 2;

  private static final long RETRY_FULL_DISK_NANOS = 200_000_000;

  private final StoreOptions options;
  private final @Nullable DirectoryLock lock;
  private final @Nullable CommitLog log;
  private volatile Image image;
  private volatile ImageWriter imageWriter;
  private @Nullable ImageFiles imageFiles; // the image thread's; null in memory
  private final Generations generations;
  private final StoreClock clock;
  private final RecentCommits recent;
  private final RangeConflicts rangeConflicts;
  private final Latencies syncs = new Latencies(System.nanoTime()); // guarded by itself

  private StoreView latest;
  private final CheckedVersions checked = new CheckedVersions();
  private final List<Committed> staged = new ArrayList<>();
  private long lastStaged;
  private long bytesBeforeBatch;
  private long loggedSinceFreeze;
  private long lastCommitMillis; // 0: not known
  private long earliestExpiryWritten = Long.MAX_VALUE;
  private long inImage; // a checkpoint has brought it to the medium
  private final AtomicLong durable = new AtomicLong();
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
      StoreClock clock,
      long version,
      long replayedBytes) {
    this.options = options;
    this.lock = lock;
    this.log = log;
    this.image = image;
    this.imageWriter = new ImageWriter(image, options.dirtyBytes());
    this.generations = generations;
    this.clock = clock;
    this.recent = new RecentCommits(version, options.recentBytes());
    this.rangeConflicts = new RangeConflicts(recent);
    this.latest = generations.latest();
    this.lastStaged = version;
    this.durable.set(version);
    this.inImage = log == null ? 0 : image.version();
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
      StoreClock clock = clock(options, 0);
      Generations empty = new Generations(image, new Memtable(), null, 0, 0, clock, writeImage);
      return new Store(options, null, null, image, empty, clock, 0, 0);
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
              options.disk(),
              directory,
              id,
              options.segmentBytes(),
              options.retention(),
              log,
              log.last() + 1);
      StoreClock clock = clock(options, Math.max(log.lastMillis(), image.millis()));
      Image.deleteOthers(options.disk(), directory); // the log goes on where this one ends
      Generations recovered = recovery.generations(log.last(), clock, writeImage);
      Store store =
          new Store(
              options, lock, opened, image, recovered, clock, log.last(), log.replayedBytes());
      store.lastCommitMillis = log.lastMillis();
      return store;
    } catch (IOException e) {
      KvException failure = Failures.of(e, directory, "opening the store");
      closeAfter(failure, lock, image);
      throw failure;
    } catch (RuntimeException | Error e) {
      closeAfter(e, lock, image);
      throw e;
    }
  }

  private static StoreClock clock(StoreOptions options, long least) {
    return new StoreClock(least, options.wallClock(), System::nanoTime);
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
    StoreView state = latest.at(clock.getAsLong());
    String id = commit.id();
    if (id != null) {
      long first = state.versionOf(SystemKeys.commitId(id));
      if (first != 0) {
        return CommitResult.committed(Versionstamp.of(first));
      }
    }
    List<Integer> failed = CommitEvaluator.failedChecks(state, checked, commit.checks());
    failed = failedRanges(commit, failed, state.now());
    if (!failed.isEmpty()) {
      return CommitResult.conflict(failed);
    }
    long version = lastStaged + 1;
    long idExpireAt = state.now() + options.idMillis();
    stage(
        CommitEvaluator.effects(state, commit, version, options.oldValues(), idExpireAt), version);
    return CommitResult.committed(Versionstamp.of(version));
  }

  private List<Integer> failedRanges(Commit commit, List<Integer> failedKeys, long now) {
    if (commit.rangeChecks().isEmpty()) {
      return failedKeys;
    }
    List<Integer> failed = new ArrayList<>(failedKeys);
    for (int i = 0; i < commit.rangeChecks().size(); i++) {
      if (!rangeConflicts.holds(commit.rangeChecks().get(i), staged, now)) {
        failed.add(commit.checks().size() + i);
      }
    }
    return failed;
  }

  /**
   * Adds a commit of the store's own to the batch.
   *
   * @param evaluation what it comes to in the newest state, at its version; none at all when empty
   */
  public void stage(BiFunction<StoreView, Long, List<Effect>> evaluation) {
    checkWritable();
    long version = lastStaged + 1;
    List<Effect> effects = evaluation.apply(latest.at(clock.getAsLong()), version);
    if (!effects.isEmpty()) {
      stage(effects, version);
    }
  }

  /**
   * Adds changes of queues to the batch.
   *
   * @param change makes them, in the newest state
   */
  public void stageQueues(Consumer<QueueEffects> change) {
    stage(
        (state, version) ->
            CommitEvaluator.queueEffects(state, version, options.oldValues(), change));
  }

  /**
   * Finds what has expired. On any thread.
   *
   * @param held a snapshot that stays held until what was found has been staged
   * @param imageAfter where to start in the image's index; empty for the start
   * @param limit most entries from each index
   */
  public ExpiryScan scanExpired(Snapshot held, byte[] imageAfter, int limit) {
    try {
      return ExpiryScan.of(held.enter(), imageAfter, limit, options.oldValues());
    } finally {
      held.leave();
    }
  }

  /**
   * Adds the deletion of what has expired to the batch.
   *
   * @param held what the scan was made under: only while that is held is everything in memory that
   *     came after it
   * @param from the first of what was found to look at
   * @return the first that is left for another commit
   * @throws KvException SNAPSHOT_TOO_OLD when it is not held any more; nothing is added then
   */
  public int stageExpired(Snapshot held, ExpiryScan scan, int from) {
    int[] left = {from};
    var unused = held.enter();
    try {
      stage(
          (state, version) -> {
            List<Effect> effects = new ArrayList<>();
            left[0] = scan.expire(state, from, effects);
            return effects;
          });
    } finally {
      held.leave();
    }
    return left[0];
  }

  /** Whether a generation waits for the image and the next has grown large. Staging thread. */
  public boolean isImageBehind() {
    return latest.frozen() != null
        && generations.frozen() != null
        && latest.active().bytes() >= options.generationBytes() / 2;
  }

  /** Lets the indexes in memory forget what has been dealt with. On the thread that stages. */
  public void sweptExpired(List<byte[]> entries) {
    Memtable frozen = latest.frozen();
    for (byte[] entry : entries) {
      if (latest.expireAt(ExpiryKey.key(entry)) != ExpiryKey.expireAt(entry)) {
        latest.active().expiry().remove(entry);
        if (frozen != null) {
          frozen.expiry().remove(entry);
        }
      }
    }
  }

  private void stage(List<Effect> effects, long version) {
    if (staged.isEmpty()) {
      bytesBeforeBatch = latest.active().bytes();
    }
    try {
      add(effects, version);
    } catch (RuntimeException | Error e) { // half of it is staged: nothing may follow
      KvException defect = new KvException(KvErrorCode.INTERNAL, "staging failed: " + e, e);
      failure = defect;
      throw defect;
    }
    lastStaged = version;
    staged.add(new Committed(version, 0, effects));
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
        latest.active().put(effect.key(), effect.state(version), keepFrom);
      }
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

  /** The version of the last commit of the batch, or of the last published one. */
  long lastStaged() {
    return lastStaged;
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
  public List<Committed> publish() {
    long visible = generations.visible();
    if (lastStaged == visible) {
      return List.of();
    }
    checkNotFailed();
    long millis = clock.getAsLong();
    if (log != null) {
      write(log, visible, millis);
    }
    List<Committed> published =
        staged.stream().map(c -> new Committed(c.version(), millis, c.effects())).toList();
    recent.add(published);
    generations.publish(lastStaged);
    lastCommitMillis = millis;
    staged.clear();
    freezeWhenLarge();
    return published;
  }

  private void write(CommitLog log, long visible, long millis) {
    int bytes = log.pendingBytes();
    try {
      log.append(visible + 1, durable.get(), millis);
    } catch (SyncFailedException e) { // of the segment before
      unstage(visible);
      throw syncFailed(e);
    } catch (IOException e) {
      KvException failed = Failures.of(e, directory(), "writing the log");
      unstage(visible);
      if (failed.code() == KvErrorCode.DISK_FULL) {
        full = failed;
        fullSince = System.nanoTime();
        makeRoom(failed);
      } else {
        failure = failed;
      }
      throw failed;
    }
    full = null;
    loggedSinceFreeze += bytes;
    if (options.syncEveryCommit()) {
      sync(log);
      durable.accumulateAndGet(lastStaged, Math::max);
    }
  }

  private void sync(CommitLog log) {
    long begin = System.nanoTime();
    try {
      log.sync();
    } catch (IOException e) {
      throw syncFailed(e);
    }
    long end = System.nanoTime();
    synchronized (syncs) {
      syncs.record(end - begin, end);
    }
  }

  /** What a failed sync has left on the medium is unknown: never go on from here. */
  private KvException syncFailed(IOException e) {
    KvException failed = new KvException(KvErrorCode.IO_FAILED, "syncing the log failed: " + e, e);
    failure = failed;
    return failed;
  }

  private void unstage(long visible) {
    List<byte[]> keys =
        staged.stream().flatMap(c -> c.effects().stream()).map(Effect::key).toList();
    latest.active().rollback(keys, visible, bytesBeforeBatch);
    staged.clear();
    lastStaged = visible;
  }

  /** Sees the generations that there are now. */
  private void lookAgain() {
    latest = generations.latest();
    checked.forget();
  }

  private void freezeWhenLarge() {
    if (failure != null || lastStaged != generations.visible()) {
      return; // what was not published must not come to the image
    }
    Memtable active = latest.active();
    boolean large =
        active.bytes() >= options.generationBytes()
            || loggedSinceFreeze >= MAX_SEGMENTS_PER_GENERATION * options.segmentBytes()
            || active.deletions().size() >= MAX_RANGE_DELETIONS;
    if (large && generations.frozen() == null) {
      loggedSinceFreeze = 0;
      generations.freeze();
      lookAgain();
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
      makeRoom(trouble);
      throw trouble;
    }
    return isFull;
  }

  private boolean memoryFull() {
    return latest.active().bytes() >= 2 * options.generationBytes() && generations.frozen() != null;
  }

  /** The newest commits. Any thread. */
  public RecentCommits recent() {
    return recent;
  }

  /** The store's time, milliseconds since 1970; never goes backwards. Any thread. */
  public long now() {
    return clock.getAsLong();
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
    if (failure != null) {
      return false;
    }
    long version = generations.frozenVersion();
    try {
      syncLog();
      boolean done = imageWriter.write(frozen, version, now());
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

  /**
   * The earliest expiry that the last call of {@link #imageWritten} brought to the image's index;
   * Long.MAX_VALUE when none. On the thread that stages.
   */
  public long earliestExpiryWritten() {
    return earliestExpiryWritten;
  }

  /** Drops what the image now holds. On the thread that stages, after {@link #writeImage}. */
  public void imageWritten() {
    if (generations.frozen() == null) {
      return;
    }
    earliestExpiryWritten = image.takeEarliestExpiry();
    generations.thaw();
    lookAgain();
    inImage = image.version();
    dropOldLog();
    freezeWhenLarge();
  }

  /** Drops what is kept of the log for nobody any more. On the thread that stages. */
  public void dropOldLog() {
    if (log != null) {
      try {
        log.dropThrough(inImage, now());
      } catch (IOException e) {
        failure = Failures.of(e, directory(), "deleting old log segments");
      }
    }
  }

  /** To take commits is worth more than to keep what they were. */
  private void makeRoom(KvException full) {
    if (log != null && full.code() == KvErrorCode.DISK_FULL) {
      try {
        log.dropRetained(inImage);
      } catch (IOException e) {
        full.addSuppressed(e);
      }
    }
  }

  /** The newest version that readers see. Any thread. */
  public long visible() {
    return generations.visible();
  }

  /** The newest version that readers see and no crash takes back. Any thread. */
  public long horizon() {
    return log == null ? visible() : Math.min(visible(), durable.get());
  }

  /**
   * Keeps every commit from a version on in the log, until what this returns is closed. Any thread.
   *
   * @throws KvException COMPACTED when it has been dropped
   */
  public AutoCloseable pinLog(long version) {
    return log == null ? () -> {} : log.pin(version);
  }

  /** The id that the store's files share; null without files. Any thread. */
  public @Nullable UUID id() throws IOException {
    Path directory = options.directory();
    return directory == null ? null : StoreIdentity.find(directory);
  }

  /** Reads the published commits after a version. Any thread. */
  public ChangeCursor changes(long since) {
    return new ChangeCursor(this, recent, log, since);
  }

  /**
   * Starts to build the image anew. On the thread that writes the image, as all of this.
   *
   * @return null for a store without files
   */
  public @Nullable Compaction compaction() throws IOException {
    checkNotFailed();
    CommitLog written = log;
    Path directory = options.directory();
    if (written == null || directory == null) {
      return null;
    }
    ImageFiles current = imageFiles;
    if (current == null) {
      current = ImageFiles.current(directory);
      imageFiles = current;
    }
    return new Compaction(image, options.disk(), current, written, options.dirtyBytes());
  }

  /**
   * Puts the new image in the old one's place, for good. {@link #imageReplaced} comes next.
   *
   * @param compaction one whose last step has just said that it is done
   * @throws IOException when the old one's files could not be deleted; the next open does it
   */
  public void replaceImage(Compaction compaction) throws IOException {
    Image old = image;
    ImageFiles oldFiles = imageFiles;
    Image fresh = compaction.take();
    ImageWriter writer = new ImageWriter(fresh, options.dirtyBytes());
    image = fresh;
    imageWriter = writer;
    imageFiles = compaction.files();
    generations.replace(fresh);
    try (old) { // those who still read it do so through mappings
      if (oldFiles != null) {
        Image.delete(options.disk(), oldFiles);
      }
    }
  }

  /** Lets the thread that stages see the new image; on that thread. */
  public void imageReplaced() {
    lookAgain();
  }

  /** Gives up a new image. */
  public void abandon(Compaction compaction) throws IOException {
    compaction.abandon();
  }

  /** Whether so much has been removed that the image is mostly empty pages. */
  public boolean isWorthCompacting() {
    Image current = image;
    return log != null
        && current.removed() >= Math.max(MIN_REMOVED, REMOVED_PER_KEY * current.keys());
  }

  /** Bytes of the image's files. */
  public long imageBytes() throws IOException {
    Path directory = options.directory();
    return directory == null ? 0 : ImageFiles.current(directory).size();
  }

  /**
   * Makes everything published durable. Any thread.
   *
   * @throws KvException IO_FAILED, and the store takes no more commits
   */
  public void syncLog() {
    long published = generations.visible();
    if (log != null && durable.get() < published) {
      sync(log);
      durable.accumulateAndGet(published, Math::max);
    }
  }

  /** How it is doing. On the thread that stages. */
  public StoreStats stats() {
    Generations.Held held = generations.held();
    Memtable frozen = generations.frozen();
    return new StoreStats(
        visible(),
        horizon(),
        lastCommitMillis,
        trouble(),
        image.bytes(),
        log == null ? 0 : log.bytes(),
        log == null ? 0 : log.segmentCount(),
        latest.active().bytes() + (frozen == null ? 0 : frozen.bytes()),
        held.count(),
        held.count() == 0 ? 0 : Math.max(0, now() - held.oldestMillis()),
        held.lag());
  }

  private @Nullable KvErrorCode trouble() {
    KvException image = imageTrouble;
    KvException trouble = failure != null ? failure : full != null ? full : image;
    return trouble == null ? null : trouble.code();
  }

  /** How long the log's syncs took. Any thread. */
  public LatencySummary syncs() {
    synchronized (syncs) {
      return syncs.summary(System.nanoTime());
    }
  }

  /** About how many keys there are, the store's own and expired ones included. On a reader. */
  public long estimateKeys() {
    try (Snapshot newest = snapshot()) {
      try {
        return KeyEstimate.of(newest.enter());
      } finally {
        newest.leave();
      }
    }
  }

  /** What has left memory. Its records are looked up on the thread that writes it. */
  public Image image() {
    return image;
  }

  /** The log; null for a store in memory. */
  public @Nullable CommitLog log() {
    return log;
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
    Image last = image;
    try (lock;
        last;
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
