package io.kvreactive.index.internal.vector;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bound of the heap that the structures of approximate vector indexes take, of all stores that
 * share threads. Thread-safe.
 */
public final class VectorMemory {
  private final long maxBytes;
  private final Set<NeighborIndexCache> stores = ConcurrentHashMap.newKeySet();

  /**
   * @param maxBytes the maximum number of bytes
   */
  public VectorMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the maximum number of bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns the bytes that all structures take. */
  public long usedBytes() {
    return stores.stream().mapToLong(NeighborIndexCache::memoryBytes).sum();
  }

  /** Counts the structures of a store. */
  void add(NeighborIndexCache store) {
    stores.add(store);
  }

  /** Counts the structures of a store no longer. */
  void remove(NeighborIndexCache store) {
    stores.remove(store);
  }
}
