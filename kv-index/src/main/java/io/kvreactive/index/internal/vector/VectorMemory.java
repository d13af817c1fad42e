package io.kvreactive.index.internal.vector;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limit of the heap memory of approximate vector indexes, for all stores that share threads.
 * Thread-safe.
 */
public final class VectorMemory {
  private final long maxBytes;
  private final Set<NeighborIndexCache> stores = ConcurrentHashMap.newKeySet();

  /**
   * Creates a limit.
   *
   * @param maxBytes the maximum number of bytes
   */
  public VectorMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the maximum number of bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns the number of bytes used by all structures. */
  public long usedBytes() {
    return stores.stream().mapToLong(NeighborIndexCache::memoryBytes).sum();
  }

  /** Adds the structures of a store. */
  void add(NeighborIndexCache store) {
    stores.add(store);
  }

  /** Removes the structures of a store. */
  void remove(NeighborIndexCache store) {
    stores.remove(store);
  }
}
