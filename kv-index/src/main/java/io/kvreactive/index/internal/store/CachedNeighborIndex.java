package io.kvreactive.index.internal.store;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.spi.NeighborIndex;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The structure in memory of one approximate vector index, with what a query must know to read it
 * at its own version. The indexer writes it, queries search it. Thread-safe.
 *
 * <p>A query at a version reads the marks of that version. An item that is not marked there is in
 * the structure as it was then, unless the structure has followed a later change of it: {@link
 * #followedAfter} tells these items.
 */
public final class CachedNeighborIndex {
  /** Steps of the structure that are remembered, for queries of versions before them. */
  private static final int REMEMBERED = 64;

  /** The items that the structure followed from the version that they were read at. */
  private record Step(Versionstamp version, Set<Long> docIds) {}

  private final Deque<Step> steps = new ArrayDeque<>(); // guarded by this
  private @Nullable Versionstamp complete; // guarded by this: before it nothing is known
  private volatile @Nullable NeighborIndex index;
  private volatile boolean isReady;
  private volatile @Nullable Versionstamp unmarked; // of the last mark when all were followed

  /** Returns whether queries may search it. */
  public boolean isReady() {
    return isReady;
  }

  /** Returns the number of vectors. */
  public int size() {
    NeighborIndex there = index;
    return there == null ? 0 : there.size();
  }

  /** Returns the bytes of heap that it takes. */
  public long memoryBytes() {
    NeighborIndex there = index;
    return there == null ? 0 : there.memoryBytes();
  }

  /** Sets the structure, which queries do not search yet. */
  public synchronized void set(@Nullable NeighborIndex made) {
    isReady = false;
    complete = null;
    unmarked = null;
    steps.clear();
    NeighborIndex before = index;
    index = made;
    if (before != null) {
      before.close();
    }
  }

  /** Lets queries search it: it has all vectors of a version. */
  public synchronized void ready(Versionstamp version) {
    complete = version;
    isReady = true;
  }

  /**
   * Records that all marks were followed.
   *
   * @param lastMark the versionstamp of the last commit with marks, or null if there was none
   */
  public synchronized void unmarked(@Nullable Versionstamp lastMark) {
    unmarked = lastMark;
  }

  /**
   * Returns true if all marks that there are were followed, at a version that has the given last
   * commit with marks. False may also mean that this is not known.
   */
  public boolean isUnmarked(@Nullable Versionstamp lastMark) {
    return lastMark != null && lastMark.equals(unmarked);
  }

  /** Tells what is about to be put or removed, as it is at a version. */
  public synchronized void following(Versionstamp version, Collection<Long> docIds) {
    if (steps.size() == REMEMBERED) {
      complete = steps.remove().version();
    }
    steps.add(new Step(version, Set.copyOf(docIds)));
  }

  /**
   * Returns items close to a vector, or null while it is not ready.
   *
   * @see NeighborIndex#search
   */
  public long @Nullable [] search(float[] vector, int first, int wanted, LongPredicate accepted) {
    NeighborIndex there = index;
    return there == null || !isReady ? null : there.search(vector, first, wanted, accepted);
  }

  /** Returns true if a search gives items in the order of the distance itself. */
  public boolean isExact() {
    NeighborIndex there = index;
    return there != null && there.isExact();
  }

  /** Returns the vector of an item, or null if only the store has it. */
  public float @Nullable [] vector(long docId) {
    NeighborIndex there = index;
    return there == null ? null : there.vector(docId);
  }

  /**
   * Returns the items that may not be in the structure as they were at a version, besides those
   * that are marked there; null if that is not known any more. To be asked after a search, and
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
