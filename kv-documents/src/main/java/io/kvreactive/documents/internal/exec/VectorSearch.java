package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.plan.VectorScan;
import io.kvreactive.documents.internal.store.CachedNeighborIndex;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Finds the closest items of a vector index, with exact scores: from the candidates of an in-memory
 * structure, or from all items.
 *
 * <p>The structure is not of the version that the query reads. Items marked at that version, or
 * indexed by the structure since, are read in addition to the candidates. All scores are exact. All
 * vectors are read if the index is flat, its structure is not ready or too many items are marked,
 * and for pages after the first.
 *
 * <p>A query may search again, for the items after those that it has examined.
 */
final class VectorSearch {
  /** An item with its rank; lower ranks are closer. */
  record Near(double rank, long docId) {}

  static final long WEIGHT = 48;

  private static final Comparator<Near> ORDER =
      Comparator.comparingDouble(Near::rank).thenComparingLong(Near::docId);

  private static final int ENTRIES_PER_READ = 1024;
  private static final int ITEMS_PER_READ = 128;
  private static final int ELEMENTS_PER_STEP = 64;

  /** Number of filtered items up to which reading all their vectors is better than a search. */
  private static final int MAX_EXACT_ITEMS = 1000;

  /** Selectivity from which the filtered vectors are read as well: one item of this many. */
  private static final int NARROW = 50;

  private static final float[] NONE = {};

  /**
   * Number of elements of all vectors from which a scan may take longer than a slice of time. A
   * scan of codes, which cannot yield, takes 2 ms for 125,000 vectors of 128 elements.
   */
  private static final long LONG_SCAN = 16_000_000;

  private static final int MAX_MARKS = 10_000;

  /**
   * Minimum number of candidates. A search with fewer may end among vectors that are close to each
   * other and not to that of the query: with 10 candidates, 1 % of the searches for a stored vector
   * did not find it.
   */
  private static final int MIN_CANDIDATES = 50;

  private static final int MIN_CODED_CANDIDATES = 100;

  /** Maximum number of candidates; for more items, all vectors are read. */
  private static final int MAX_CANDIDATES = 10_000;

  private final SnapshotReader reader;
  private final VectorScan scan;
  private final NeighborIndexCache indexes;
  private final QueryBudget budget;
  private final long rows;
  private final float[] buffer;
  private final long @Nullable [] shards; // null for all
  private final OperatorStats stats;

  /**
   * Creates a search.
   *
   * @param rows the maximum number of rows of the query
   */
  VectorSearch(
      SnapshotReader reader,
      VectorScan scan,
      NeighborIndexCache indexes,
      QueryBudget budget,
      long rows) {
    this.rows = rows;
    this.reader = reader;
    this.scan = scan;
    this.indexes = indexes;
    this.budget = budget;
    this.buffer = new float[scan.vector().length];
    this.shards = scan.shardNumbers();
    this.stats = OperatorStats.of("vectorSearch", out -> out.put("index", scan.name()));
  }

  OperatorStats stats() {
    return stats;
  }

  /**
   * Returns the closest items in order. Fewer items than requested mean that there are no more.
   *
   * @param filter the document ids of the allowed items, or null for all
   * @param most the maximum number of items
   * @param after the item after which the result starts, or null for the first
   * @param examined the items of earlier searches up to {@code after}; empty if they are not known
   */
  List<Near> closest(
      @Nullable Roaring64Bitmap filter, int most, @Nullable Near after, Roaring64Bitmap examined) {
    return stats.pass(search(filter, most, after, examined));
  }

  private List<Near> search(
      @Nullable Roaring64Bitmap filter, int most, @Nullable Near after, Roaring64Bitmap examined) {
    float[] vector = scan.vector();
    if (Double.isNaN(scan.metric().score(vector, vector))) {
      return List.of(); // a zero vector has no cosine
    }
    Closest closest = new Closest(filter, most, after, examined);
    long left = filter == null ? Long.MAX_VALUE : filter.getLongCardinality();
    if (left <= MAX_EXACT_ITEMS) {
      return items(closest, iterator(Objects.requireNonNull(filter)), shards);
    }
    boolean continues = after != null && examined.isEmpty();
    CachedNeighborIndex neighbors = continues || most > MAX_CANDIDATES ? null : neighbors();
    long[] searched = neighbors == null || shards == null ? null : neighbors.separate(shards);
    if (neighbors == null || searched != null && searched.length == 0) {
      return all(closest);
    }
    if (filter != null && left < neighbors.size() / NARROW) {
      return items(closest, iterator(filter), shards);
    }
    return approximate(closest, neighbors, searched);
  }

  /** Returns the structure that serves a search, or null if there is none. */
  private @Nullable CachedNeighborIndex neighbors() {
    if (!scan.isApproximate()) {
      return null;
    }
    CachedNeighborIndex found =
        indexes.find(NeighborIndexCache.Key.of(reader.metadata(), scan.index()));
    return found != null && found.isReady() ? found : null;
  }

  /** Returns the number of candidates; compressed vectors need more. */
  private long candidates(CachedNeighborIndex neighbors, int most) {
    long wanted = Math.min(rows, most) * scan.candidatesPerRow();
    int least = neighbors.isExact() ? MIN_CANDIDATES : MIN_CODED_CANDIDATES;
    return Math.min(MAX_CANDIDATES, Math.max(Math.max(least, most), wanted));
  }

  /** A bounded collection of the closest items found so far. */
  private final class Closest {
    private final @Nullable Roaring64Bitmap filter;
    private final int most;
    private final @Nullable Near after;
    private final Roaring64Bitmap examined;
    private final PriorityQueue<Near> heap = new PriorityQueue<>(ORDER.reversed());

    Closest(
        @Nullable Roaring64Bitmap filter,
        int most,
        @Nullable Near after,
        Roaring64Bitmap examined) {
      this.filter = filter;
      this.most = most;
      this.after = after;
      this.examined = examined;
    }

    boolean acceptsAll() {
      return filter == null && examined.isEmpty();
    }

    boolean accepts(long docId) {
      return (filter == null || filter.contains(docId)) && !examined.contains(docId);
    }

    void add(StoredEntry entry) {
      budget.item();
      for (int i = 0; i <= buffer.length / ELEMENTS_PER_STEP; i++) {
        budget.step();
      }
      long docId = scan.index().docId(reader.keys().rawEntry(entry.key()));
      if (!accepts(docId)) {
        return;
      }
      StoredVectorIndex.read(Objects.requireNonNull(entry.value()).bytes(), buffer);
      add(docId, buffer);
    }

    void add(long docId, float[] vector) {
      reader.countRankedVector();
      double score = scan.metric().score(vector, scan.vector());
      Near near = new Near(scan.metric().rank(score), docId);
      if (Double.isNaN(score) || after != null && ORDER.compare(near, after) <= 0) {
        return;
      }
      if (heap.size() < most) {
        budget.hold(WEIGHT);
        heap.add(near);
      } else if (ORDER.compare(near, heap.element()) < 0) {
        heap.remove();
        heap.add(near);
      }
    }

    void addAll(List<RangePage> pages) {
      for (RangePage page : pages) {
        reader.countEntries(page.entries().size());
        page.entries().forEach(this::add);
      }
    }

    List<Near> list() {
      return heap.stream().sorted(ORDER).toList();
    }
  }

  // ---- all vectors

  private List<Near> all(Closest closest) {
    return shards == null
        ? all(closest, List.of(scan.index().everything()))
        : all(closest, ofShards(shards));
  }

  private List<KeyRange> ofShards(long[] wanted) {
    return LongStream.of(wanted).mapToObj(scan.index()::ofShard).toList();
  }

  private List<Near> all(Closest closest, List<KeyRange> ranges) {
    for (KeyRange range : ranges) {
      ReadRange rest =
          reader.keys().entries(range.start(), range.end(), ENTRIES_PER_READ, false, false);
      while (rest != null) {
        List<RangePage> pages = reader.read(stats, List.of(rest));
        closest.addAll(pages);
        rest = pages.get(0).rest(rest);
      }
    }
    return closest.list();
  }

  // ---- the vectors of some items

  /** An iterator over document ids; {@code next} returns 0 at the end. */
  @FunctionalInterface
  private interface Items {
    long next();
  }

  private static Items iterator(Roaring64Bitmap items) {
    var iterator = items.getLongIterator();
    return () -> iterator.hasNext() ? iterator.next() : 0;
  }

  /**
   * Reads the vectors of items.
   *
   * @param within the shards to which the result is limited; null for all
   */
  private List<Near> items(Closest closest, Items items, long @Nullable [] within) {
    StoredVectorIndex index = scan.index();
    boolean isLocated = index.isSharded() && (within == null || within.length != 1);
    long next = items.next();
    while (next != 0) {
      List<KeyRange> ranges = new ArrayList<>();
      long[] docIds = new long[ITEMS_PER_READ];
      while (next != 0 && ranges.size() < ITEMS_PER_READ) {
        docIds[ranges.size()] = next;
        ranges.add(
            isLocated
                ? index.locator(next)
                : within == null ? index.of(next) : index.of(within[0], next));
        next = items.next();
      }
      List<RangePage> pages = read(ranges);
      closest.addAll(isLocated ? read(located(pages, docIds, within)) : pages);
    }
    return closest.list();
  }

  private List<RangePage> read(List<KeyRange> ranges) {
    return reader.read(
        stats,
        ranges.stream()
            .map(range -> reader.keys().entries(range.start(), range.end(), 1, false, false))
            .toList());
  }

  /** Returns the entries of the items whose locators were found in some shards. */
  private List<KeyRange> located(
      List<RangePage> locators, long[] docIds, long @Nullable [] within) {
    List<KeyRange> ranges = new ArrayList<>();
    for (int i = 0; i < locators.size(); i++) {
      for (StoredEntry locator : locators.get(i).entries()) {
        long shard = StoredVectorIndex.shardOfLocator(reader.keys().rawEntry(locator.key()));
        if (within == null || LongStream.of(within).anyMatch(wanted -> wanted == shard)) {
          ranges.add(scan.index().of(shard, docIds[i]));
        }
      }
    }
    return ranges;
  }

  // ---- candidates

  /**
   * Searches the structure.
   *
   * @param searched the shards to search in the structure; null for all
   */
  private List<Near> approximate(
      Closest closest, CachedNeighborIndex neighbors, long @Nullable [] searched) {
    int number = scan.index().number();
    ReadRange owner = ReadRange.point(NeighborIndexCache.ownerKey(reader.keys(), number));
    ReadRange lastMark = ReadRange.point(reader.keys().lastVectorMark(number));
    List<RangePage> pages = reader.read(stats, List.of(owner, lastMark));
    List<StoredEntry> owned = pages.get(0).entries();
    List<StoredEntry> last = pages.get(1).entries();
    boolean own =
        !owned.isEmpty() && indexes.isOwner(Objects.requireNonNull(owned.get(0).value()).bytes());
    if (!own) {
      return all(closest);
    }
    return last.isEmpty() || neighbors.isUnmarked(last.get(0).versionstamp())
        ? candidates(closest, neighbors, searched, Set.of())
        : marked(closest, neighbors, searched);
  }

  private List<Near> marked(
      Closest closest, CachedNeighborIndex neighbors, long @Nullable [] searched) {
    ReadRange marks = reader.keys().vectorMarks(scan.index().number(), MAX_MARKS + 1);
    RangePage marked = reader.read(stats, List.of(marks)).get(0);
    if (!marked.isLast() || marked.entries().size() > MAX_MARKS) {
      return all(closest);
    }
    Set<Long> changed = new HashSet<>();
    for (StoredEntry mark : marked.entries()) {
      changed.add(reader.keys().docIdOfVectorMark(mark.key()));
    }
    reader.countEntries(changed.size());
    return candidates(closest, neighbors, searched, changed);
  }

  private List<Near> candidates(
      Closest closest,
      CachedNeighborIndex neighbors,
      long @Nullable [] searched,
      Set<Long> changed) {
    boolean again = !closest.examined.isEmpty(); // some candidates may precede the examined items
    int wanted = (int) candidates(neighbors, closest.most) + (again ? closest.most : 0);
    LongPredicate accepted =
        closest.acceptsAll() && changed.isEmpty()
            ? NeighborIndex.ALL
            : docId -> closest.accepts(docId) && !changed.contains(docId);
    int first = Math.max(closest.most, MIN_CANDIDATES);
    Supplier<long @Nullable []> search =
        () -> neighbors.search(scan.vector(), first, wanted, searched, accepted);
    long cost =
        accepted == NeighborIndex.ALL && searched == null
            ? neighbors.searchCost()
            : (long) neighbors.size() * buffer.length;
    long[] found = cost > LONG_SCAN ? WorkerThread.longCall(search) : search.get();
    int count = found == null ? 0 : found.length;
    if (neighbors.isExact() && !again) {
      count = Math.min(count, closest.most);
    }
    float[][] vectors = new float[count][];
    for (int i = 0; found != null && i < count; i++) {
      float[] vector = neighbors.vector(found[i]);
      vectors[i] = vector == null ? NONE : vector;
    }
    Set<Long> later = neighbors.followedAfter(reader.snapshot().versionstamp());
    if (found == null || later == null) {
      return all(closest);
    }
    reader.countCandidates(found.length);
    for (int i = 0; i < wanted; i++) {
      budget.step();
    }
    Set<Long> toRead = new HashSet<>(changed);
    toRead.addAll(later);
    toRead.removeIf(docId -> !closest.accepts(docId));
    for (int i = 0; i < count; i++) {
      if (vectors[i].length == 0) {
        toRead.add(found[i]);
      } else if (!toRead.contains(found[i])) {
        closest.add(found[i], vectors[i]);
      }
    }
    long[] sorted = toRead.stream().mapToLong(Long::longValue).sorted().toArray();
    int[] at = {0};
    List<Near> near = items(closest, () -> at[0] < sorted.length ? sorted[at[0]++] : 0, searched);
    if (searched != null) {
      near = others(closest, searched);
    }
    return near.size() < closest.most
        ? all(new Closest(closest.filter, closest.most, closest.after, closest.examined))
        : near;
  }

  /** Adds the vectors of the shards that are not searched in the structure. */
  private List<Near> others(Closest closest, long[] searched) {
    return all(
        closest,
        ofShards(
            LongStream.of(Objects.requireNonNull(shards))
                .filter(shard -> LongStream.of(searched).noneMatch(each -> each == shard))
                .toArray()));
  }
}
