package io.kvreactive.documents.internal.store;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.spi.NeighborIndex;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The structure in memory of one approximate vector index, with the state that queries need to
 * search it at their own version. The indexer writes the structure, queries search it. Thread-safe.
 *
 * <p>A query at a version reads the marks of that version. The structure has an unmarked item as of
 * that version, unless it has applied a later change of the item: {@link #followedAfter} returns
 * these items.
 */
public final class CachedNeighborIndex {
  /** Number of recent steps of the structure that are kept for queries at earlier versions. */
  private static final int REMEMBERED = 64;

  /** The items applied by the structure from the version at which they were read. */
  private record Step(Versionstamp version, Set<Long> docIds) {}

  private final Deque<Step> steps = new ArrayDeque<>(); // guarded by this
  private @Nullable Versionstamp complete; // start of steps; guarded by this
  private volatile @Nullable NeighborIndex index;
  private volatile boolean isReady;
  private volatile @Nullable Versionstamp unmarked; // the last mark, if all are applied

  /** Returns true if queries may search the structure. */
  public boolean isReady() {
    return isReady;
  }

  /** Returns the number of vectors. */
  public int size() {
    NeighborIndex current = index;
    return current == null ? 0 : current.size();
  }

  /** Returns the heap memory of the structure in bytes. */
  public long memoryBytes() {
    NeighborIndex current = index;
    return current == null ? 0 : current.memoryBytes();
  }

  /** Sets the structure, which queries do not search yet. */
  public synchronized void set(@Nullable NeighborIndex replacement) {
    isReady = false;
    complete = null;
    unmarked = null;
    steps.clear();
    NeighborIndex before = index;
    index = replacement;
    if (before != null) {
      before.close();
    }
  }

  /** Opens the structure for searches, now that it has all vectors of a version. */
  public synchronized void ready(Versionstamp version) {
    complete = version;
    isReady = true;
  }

  /**
   * Records that all marks were applied.
   *
   * @param lastMark the versionstamp of the last commit with marks
   */
  public synchronized void unmarked(Versionstamp lastMark) {
    unmarked = lastMark;
  }

  /**
   * Returns true if all marks were applied at a version with the given last commit with marks.
   * False may also mean that this is unknown.
   *
   * @param lastMark the versionstamp of the last commit with marks
   */
  public boolean isUnmarked(Versionstamp lastMark) {
    return lastMark.equals(unmarked);
  }

  /** Records the items that are about to be put or removed, as of a version. */
  public synchronized void following(Versionstamp version, Collection<Long> docIds) {
    if (steps.size() == REMEMBERED) {
      complete = steps.remove().version();
    }
    steps.add(new Step(version, Set.copyOf(docIds)));
  }

  /**
   * Returns items close to a vector, or null if the structure is not ready.
   *
   * @param shards the shards to search, which must be {@link #separate}; null for all
   * @see NeighborIndex#search
   */
  public long @Nullable [] search(
      float[] vector, int first, int wanted, long @Nullable [] shards, LongPredicate accepted) {
    NeighborIndex current = index;
    if (current == null || !isReady) {
      return null;
    }
    return shards == null
        ? current.search(vector, first, wanted, accepted)
        : current.search(vector, first, wanted, shards, accepted);
  }

  /** Returns those of some shards that have a structure of their own. */
  public long[] separate(long[] shards) {
    NeighborIndex current = index;
    return current == null || !isReady
        ? new long[0]
        : LongStream.of(shards).filter(current::isSeparate).toArray();
  }

  /** Returns the number of structures that a search of some or all shards searches. */
  public int structures(long @Nullable [] shards) {
    NeighborIndex current = index;
    if (current == null || !isReady) {
      return 0;
    }
    return shards == null ? current.structures() : separate(shards).length;
  }

  /**
   * Returns the probable cost of the next search of all vectors without a filter.
   *
   * @see NeighborIndex#searchCost
   */
  public long searchCost() {
    NeighborIndex current = index;
    return current == null ? 0 : current.searchCost();
  }

  /** Returns true if a search returns items in the order of their exact distance. */
  public boolean isExact() {
    NeighborIndex current = index;
    return current != null && current.isExact();
  }

  /** Returns the vector of an item, or null if only the store has the vector. */
  public float @Nullable [] vector(long docId) {
    NeighborIndex current = index;
    return current == null ? null : current.vector(docId);
  }

  /**
   * Returns the items that the structure may not have as of a version, in addition to the items
   * marked there. Returns null if these are no longer known. Must be called after a search, and
   * after {@link #vector}.
   */
  public synchronized @Nullable Set<Long> followedAfter(Versionstamp version) {
    Versionstamp from = complete;
    if (!isReady || from == null || from.compareTo(version) > 0) {
      return null;
    }
    Set<Long> later = new HashSet<>();
    for (Step step : steps) {
      if (step.version().compareTo(version) > 0) {
        later.addAll(step.docIds());
      }
    }
    return later;
  }
}
