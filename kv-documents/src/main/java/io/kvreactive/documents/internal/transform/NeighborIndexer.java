package io.kvreactive.documents.internal.transform;

import io.kvreactive.CommitResult;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CachedNeighborIndex;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.value.VectorMetric;
import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.IndexExtensions;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the structure in memory of one approximate vector index. The indexer builds or loads
 * the structure, applies the marks of changed vectors, and saves the structure. All calls come from
 * the thread of {@link NeighborThread}, and block on the store.
 *
 * <p>The entries in the store are authoritative. A saved structure is compared with all keys when
 * it is loaded, so that it may be of any version. A mark is deleted, if unchanged, after the
 * structure has applied it.
 */
final class NeighborIndexer {
  /** Minimum number of vectors for which a structure is built; fewer vectors are scanned. */
  static final int MIN_VECTORS = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(NeighborIndexer.class);
  private static final int PAGE = 1000;
  private static final int BATCH = 128;
  private static final int SAMPLE = 4096;

  /** Factor of growth after which a structure built from a smaller sample is built again. */
  private static final int OUTGROWN = 16;

  private static final int CHECKED = 16;
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final int MAX_DELETED_MARKS = 1000;

  private static final long NO_SHARD = -1;

  private static final int SAVED_SHARE = 5;
  private static final int CLOSED_SHARE = 100;
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final KvEngine engine;
  private final LongAdder traffic;
  private final BooleanSupplier stopped;
  private final NeighborIndexCache indexes;
  private final NeighborIndexCache.Key key;
  private final CollectionMetadata metadata;
  private final StoredVectorIndex index;
  private final String name;
  private NeighborSpec spec;
  private final IndexExtension extension;
  private final CachedNeighborIndex neighbors;
  private final SavedNeighbors saved;

  private @Nullable NeighborIndex structure;
  private @Nullable Check owner; // that this is still the one whose structure follows the marks
  private boolean takenOver;
  private boolean loaded;
  private boolean tooLarge;
  private int sampled; // the size of the sample for compression, if the structure was built here
  private long changes; // since the last save
  private int deletedMarks; // deleted one by one since the last deletion of their range
  private long savedAt = System.nanoTime();

  NeighborIndexer(
      KvEngine engine,
      LongAdder traffic,
      BooleanSupplier stopped,
      NeighborIndexCache indexes,
      CollectionMetadata metadata,
      StoredVectorIndex index) {
    this.engine = engine;
    this.traffic = traffic;
    this.stopped = stopped;
    this.indexes = indexes;
    this.key = NeighborIndexCache.Key.of(metadata, index);
    this.metadata = metadata;
    this.index = index;
    this.name = metadata.name() + " " + IndexAvailability.vector(index.number());
    this.spec =
        new NeighborSpec(
            index.definition().type(),
            index.embedding().dimensions(),
            index.embedding().distanceFunction(),
            index.definition().quantizationByteSize(),
            index.definition().indexingSearchListSize(),
            index.isSharded());
    this.extension =
        Objects.requireNonNull(IndexExtensions.neighborIndexes(index.definition().type()));
    this.neighbors = indexes.get(key);
    this.saved = new SavedNeighbors(engine, metadata, index.number(), indexes.owner());
  }

  /** The work left after {@link #run}. */
  enum Left {
    NOTHING,
    /** Save after a while. */
    SAVE,
    /** Check more vectors. */
    CHECK
  }

  /** Applies all changes, and then checks some of the vectors. */
  Left run() {
    if (!loaded) {
      owner = saved.own();
      load();
      loaded = true;
    }
    follow();
    while (structure == null && !tooLarge && !isEnded() && hasEnough()) {
      load();
      follow();
    }
    NeighborIndex current = structure;
    if (takenOver) {
      return Left.NOTHING;
    }
    if (current != null && sampled > 0 && sampled < SAMPLE && current.size() > OUTGROWN * sampled) {
      LOG.info("{}: rebuilt from a larger sample of {} vectors", name, current.size());
      drop();
      load();
    }
    boolean isDue = check();
    if (changes > 0 && System.nanoTime() - savedAt > SAVE_NANOS) {
      save();
    }
    return isDue ? Left.CHECK : changes > 0 ? Left.SAVE : Left.NOTHING;
  }

  /** Checks vectors for a while. Returns true if more are due. */
  private boolean check() {
    NeighborIndex current = structure;
    long start = System.nanoTime();
    long operations = traffic.sum();
    while (current != null && !isEnded() && current.check(CHECKED)) {
      long nanos = System.nanoTime() - start;
      if (nanos > CHECK_NANOS) {
        yieldTo(operations, nanos);
        return true;
      }
    }
    return false;
  }

  // ---- building and loading

  private boolean hasEnough() {
    KeyRange all = index.everything();
    ReadRange first = metadata.keys().entries(all.start(), all.end(), MIN_VECTORS, false, true);
    RangePage page = read(List.of(first), null).pages().get(0);
    return !page.isLast();
  }

  /** Loads the saved structure or builds a new one, and brings it up to date with the entries. */
  private void load() {
    long start = System.nanoTime();
    NeighborIndex candidate = loadSaved();
    Roaring64Bitmap all = new Roaring64Bitmap();
    Roaring64Bitmap missing = new Roaring64Bitmap();
    compare(candidate, all, missing);
    long count = all.getLongCardinality();
    if (candidate == null) {
      if (count < MIN_VECTORS) {
        return;
      }
      List<float[]> sample = sample(all);
      candidate = extension.newNeighborIndex(spec, sample);
      sampled = candidate.isExact() ? 0 : sample.size();
    }
    structure = candidate;
    neighbors.set(candidate);
    long[] gone = candidate.ids().filter(id -> !all.contains(id)).toArray();
    for (long id : gone) {
      candidate.remove(id);
    }
    changes += gone.length;
    LOG.info(
        "{}: {} vectors, of which {} are to be added; {} are gone",
        name,
        count,
        missing.getLongCardinality(),
        gone.length);
    LongIterator left = missing.getLongIterator();
    while (left.hasNext() && structure == candidate && !stopped.getAsBoolean()) {
      List<Long> batch = new ArrayList<>();
      while (left.hasNext() && batch.size() < BATCH) {
        batch.add(left.next());
      }
      put(candidate, batch, vectors(batch));
      if (structure == candidate && changes > Math.max(PAGE, candidate.size() / 2)) {
        save();
      }
    }
    if (structure == candidate && !stopped.getAsBoolean()) {
      candidate.tidy();
      // all changes since the read are marked by now
      neighbors.ready(read(List.of(), null).snapshot());
      LOG.info(
          "{}: ready after {} ms, {} vectors in {} bytes",
          name,
          (System.nanoTime() - start) / 1_000_000,
          candidate.size(),
          candidate.memoryBytes());
    }
  }

  private @Nullable NeighborIndex loadSaved() {
    try {
      var bytes = saved.load(indexes.roomFor(key));
      if (bytes == null) {
        return null;
      }
      NeighborIndex candidate = extension.loadNeighborIndex(spec, bytes);
      try {
        restore(candidate);
        return candidate;
      } catch (IOException | RuntimeException e) {
        candidate.close();
        throw e;
      }
    } catch (IOException e) {
      LOG.warn("{}: what was saved of it cannot be used, and is made again", name, e);
      return null;
    }
  }

  /** Reads the vectors of a structure that was saved without them. */
  private void restore(NeighborIndex candidate) throws IOException {
    if (!candidate.needsVectors()) {
      return;
    }
    scan(
        false,
        entry -> {
          byte[] raw = metadata.keys().rawEntry(entry.key());
          long docId = index.docId(raw);
          Long stamp = candidate.stamp(docId);
          if (stamp != null && stamp == StoredVectorIndex.stamp(raw)) {
            float[] elements = vector(entry).elements();
            if (elements != null) {
              candidate.restore(docId, elements);
            }
          }
        });
    candidate.restored();
  }

  /** Compares a structure with the keys of all entries. */
  private void compare(
      @Nullable NeighborIndex candidate, Roaring64Bitmap all, Roaring64Bitmap missing) {
    scan(
        true,
        entry -> {
          byte[] raw = metadata.keys().rawEntry(entry.key());
          long docId = index.docId(raw);
          Long stamp = candidate == null ? null : candidate.stamp(docId);
          all.addLong(docId);
          if (stamp == null || stamp != StoredVectorIndex.stamp(raw)) {
            missing.addLong(docId);
          }
        });
  }

  /** Reads all entries at one version. */
  private void scan(boolean keysOnly, Consumer<StoredEntry> each) {
    KeyRange range = index.everything();
    KvEngine.Snapshot snapshot = Objects.requireNonNull(engine.snapshot().block());
    try (snapshot) {
      ReadRange all = metadata.keys().entries(range.start(), range.end(), PAGE, false, keysOnly);
      try (Stream<RangePage> pages = engine.pages(all, snapshot).toStream(1)) {
        pages
            .takeWhile(page -> !stopped.getAsBoolean())
            .forEach(page -> page.entries().forEach(each));
      }
    }
  }

  private List<float[]> sample(Roaring64Bitmap all) {
    long count = all.getLongCardinality();
    long size = Math.min(count, SAMPLE);
    List<float[]> sample = new ArrayList<>();
    List<Long> batch = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      batch.add(all.select(i * count / size));
      if (batch.size() == BATCH || i == size - 1) {
        for (Vector vector : vectors(batch).vectors()) {
          if (vector.elements() != null) {
            sample.add(vector.elements());
          }
        }
        batch.clear();
      }
    }
    return sample;
  }

  private void drop() {
    structure = null;
    neighbors.set(null);
    sampled = 0;
    changes = 0;
    saved.delete();
  }

  // ---- applying changes

  /**
   * A vector as stored.
   *
   * @param shard the shard, or 0 if the index has no shards
   * @param elements the elements; null if the item has no vector, or a vector without a distance
   */
  private record Vector(long shard, long stamp, float @Nullable [] elements) {}

  /**
   * Vectors read at one version.
   *
   * @param version the version of the read
   */
  private record Read(Versionstamp version, List<Vector> vectors) {}

  private Read vectors(List<Long> docIds) {
    if (!index.isSharded()) {
      return vectors(docIds.stream().map(index::of).toList(), null);
    }
    KvEngine.Snapshot snapshot = Objects.requireNonNull(engine.snapshot().block());
    try (snapshot) { // the entries must be of the version of the locators
      List<ReadRange> locators = new ArrayList<>(docIds.size());
      docIds.forEach(docId -> locators.add(range(index.locator(docId), true)));
      List<KeyRange> ranges = new ArrayList<>(docIds.size());
      for (RangePage page : read(locators, snapshot).pages()) {
        long shard =
            page.entries().isEmpty()
                ? NO_SHARD
                : StoredVectorIndex.shardOfLocator(
                    metadata.keys().rawEntry(page.entries().get(0).key()));
        ranges.add(index.of(shard, docIds.get(ranges.size())));
      }
      return vectors(ranges, snapshot);
    }
  }

  private ReadRange range(KeyRange range, boolean keysOnly) {
    return metadata.keys().entries(range.start(), range.end(), 1, false, keysOnly);
  }

  private Read vectors(List<KeyRange> ranges, KvEngine.@Nullable Snapshot snapshot) {
    ReadResult read = read(ranges.stream().map(range -> range(range, false)).toList(), snapshot);
    List<Vector> vectors = new ArrayList<>(ranges.size());
    for (RangePage page : read.pages()) {
      vectors.add(
          page.entries().isEmpty() ? new Vector(0, 0, null) : vector(page.entries().get(0)));
    }
    return new Read(read.snapshot(), vectors);
  }

  private Vector vector(StoredEntry entry) {
    float[] elements = new float[spec.dimensions()];
    StoredVectorIndex.read(Objects.requireNonNull(entry.value()).bytes(), elements);
    VectorMetric metric = VectorMetric.find(spec.distanceFunction());
    boolean scored = metric != null && !Double.isNaN(metric.score(elements, elements));
    byte[] raw = metadata.keys().rawEntry(entry.key());
    return new Vector(index.shard(raw), StoredVectorIndex.stamp(raw), scored ? elements : null);
  }

  private boolean isEnded() {
    return takenOver || stopped.getAsBoolean();
  }

  /** Leaves the index to another store of documents, whose structure follows the marks now. */
  private void leave() {
    LOG.info("{}: taken over by another store of documents; queries here read all vectors", name);
    takenOver = true;
    structure = null;
    neighbors.set(null);
    changes = 0;
  }

  /** Applies all current marks. */
  private void follow() {
    while (!isEnded()) {
      ReadRange last = ReadRange.point(metadata.keys().lastVectorMark(index.number()));
      ReadRange range = metadata.keys().vectorMarks(index.number(), BATCH);
      List<RangePage> pages = read(List.of(last, range), null).pages();
      List<StoredEntry> marks = pages.get(1).entries();
      NeighborIndex current = structure;
      if (marks.isEmpty()) {
        List<StoredEntry> lastMark = pages.get(0).entries();
        if (!lastMark.isEmpty() && !unmarked(current, lastMark.get(0))) {
          continue;
        }
        return;
      }
      if (current != null) {
        List<Long> docIds = new ArrayList<>();
        marks.forEach(mark -> docIds.add(metadata.keys().docIdOfVectorMark(mark.key())));
        Read read = vectors(docIds);
        neighbors.following(read.version(), docIds);
        put(current, docIds, read);
        if (structure == current && changes > Math.max(PAGE, current.size() / SAVED_SHARE)) {
          save();
        }
        if (stopped.getAsBoolean()) {
          return; // some may not have been put: their marks stay
        }
      }
      unmark(marks);
    }
  }

  /**
   * Tells queries that there are no marks, and sometimes purges what deleted marks leave in the
   * store: queries that read marks would have to skip it.
   *
   * @return false if there are new marks
   */
  private boolean unmarked(@Nullable NeighborIndex current, StoredEntry lastMark) {
    if (deletedMarks > MAX_DELETED_MARKS) {
      ReadRange marks = metadata.keys().vectorMarks(index.number(), 1);
      Check same = new Check(lastMark.key(), lastMark.versionstamp());
      try {
        if (!commit(List.of(same), List.of(new Mutation.DeleteRange(marks.start(), marks.end())))
            .isEmpty()) {
          return false;
        }
      } catch (KvException e) {
        if (e.code() != KvErrorCode.UNSUPPORTED) { // the marks were deleted one by one already
          throw e;
        }
      }
      deletedMarks = 0;
    }
    if (current != null) {
      neighbors.unmarked(lastMark.versionstamp());
    }
    return true;
  }

  private void put(NeighborIndex current, List<Long> docIds, Read read) {
    long start = System.nanoTime();
    long operations = traffic.sum();
    for (int i = 0; i < docIds.size() && !stopped.getAsBoolean(); i++) {
      Vector vector = read.vectors().get(i);
      if (vector.elements() == null) {
        current.remove(docIds.get(i));
      } else {
        current.put(docIds.get(i), vector.shard(), vector.stamp(), vector.elements());
      }
      changes++;
    }
    if (current.memoryBytes() > indexes.roomFor(key)) {
      tooLarge(current);
    }
    yieldTo(operations, System.nanoTime() - start);
  }

  /**
   * Pauses if users have had operations.
   *
   * @param operations their number before the work
   * @param nanos the time that the work has taken
   */
  private void yieldTo(long operations, long nanos) {
    if (traffic.sum() != operations) {
      pause(nanos);
    }
  }

  /**
   * Drops a structure that is too large. If it holds vectors whole, a compressed structure follows;
   * otherwise queries scan all vectors.
   */
  private void tooLarge(NeighborIndex current) {
    boolean isWhole = current.isExact() && spec.codeBytes() == null;
    LOG.warn(
        "{}: {} vectors take {} bytes of heap, more than are left of {}; {}",
        name,
        current.size(),
        current.memoryBytes(),
        indexes.maxBytes(),
        isWhole ? "they are compressed" : "queries read all vectors instead");
    drop();
    if (isWhole) {
      spec = spec.compressed();
    } else {
      tooLarge = true;
    }
  }

  private static void pause(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Deletes the marks that are unchanged. */
  private void unmark(List<StoredEntry> marks) {
    int most = Math.max(1, engine.limits().maxChecks() - 1); // besides that of the owner
    List<StoredEntry> left = new ArrayList<>(marks);
    while (!left.isEmpty() && !takenOver) {
      List<StoredEntry> some = left.subList(0, Math.min(most, left.size()));
      List<Check> checks = new ArrayList<>();
      List<Mutation> deletes = new ArrayList<>();
      for (StoredEntry mark : some) {
        checks.add(new Check(mark.key(), mark.versionstamp()));
        deletes.add(new Mutation.Delete(mark.key()));
      }
      List<Integer> failed = commit(checks, deletes);
      if (failed.isEmpty()) {
        deletedMarks += some.size();
        some.clear();
      } else if (!takenOver) {
        Set<StoredEntry> changed = new HashSet<>();
        failed.forEach(check -> changed.add(some.get(check)));
        left.removeIf(changed::contains);
      }
    }
  }

  /**
   * Commits mutations if the index has not been taken over, and leaves the index otherwise.
   *
   * @return the indices of the checks that failed; empty if the commit was made
   */
  private List<Integer> commit(List<Check> checks, List<Mutation> mutations) {
    List<Check> all = new ArrayList<>(checks);
    all.add(Objects.requireNonNull(owner, "owned before marks are followed"));
    CommitResult result = Objects.requireNonNull(engine.commit(new Commit(all, mutations)).block());
    if (result.failedChecks().contains(checks.size())) {
      leave();
    }
    return result.failedChecks();
  }

  private void save() {
    save(stopped);
  }

  /** Saves the structure if applying its changes again would take long. */
  void close() {
    NeighborIndex current = structure;
    if (current != null && changes > current.size() / CLOSED_SHARE) {
      save(() -> false);
    }
  }

  private void save(BooleanSupplier cancelled) {
    NeighborIndex current = Objects.requireNonNull(structure);
    long start = System.nanoTime();
    current.tidy();
    long bytes = saved.save(current, cancelled);
    if (bytes == SavedNeighbors.NOT_SAVED) {
      if (!cancelled.getAsBoolean()) {
        leave();
      }
      return;
    }
    changes = 0;
    savedAt = System.nanoTime();
    LOG.debug(
        "{}: saved {} vectors, {} bytes in {} ms",
        name,
        current.size(),
        bytes,
        (savedAt - start) / 1_000_000);
  }

  // ---- reads

  private ReadResult read(List<ReadRange> ranges, KvEngine.@Nullable Snapshot snapshot) {
    return readAll(engine, ranges, snapshot);
  }

  /** Reads all ranges. One read may leave out some ranges; those are read at a later version. */
  static ReadResult readAll(
      KvEngine engine, List<ReadRange> ranges, KvEngine.@Nullable Snapshot snapshot) {
    ReadResult first = Objects.requireNonNull(engine.read(ranges, snapshot).block());
    if (first.pages().size() == ranges.size()) {
      return first;
    }
    List<RangePage> pages = new ArrayList<>(first.pages());
    Versionstamp version = first.snapshot();
    while (pages.size() < ranges.size()) {
      ReadResult more =
          Objects.requireNonNull(
              engine.read(ranges.subList(pages.size(), ranges.size()), snapshot).block());
      pages.addAll(more.pages());
      version = more.snapshot();
    }
    return new ReadResult(version, pages);
  }

  /** Returns true if a failure means that no work is left, or none that the engine can do. */
  static boolean isOver(Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.CLOSED)
        || KvError.is(failure, KvErrorCode.UNSUPPORTED);
  }

  /** Returns true if this indexer is for the same index with the same entries. */
  boolean isOf(CollectionMetadata now, StoredVectorIndex other) {
    return key.equals(NeighborIndexCache.Key.of(now, other));
  }
}
