package io.kvreactive.documents.internal.worker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The limit of the heap memory of approximate vector indexes, for all stores that share threads.
 * Thread-safe.
 */
public final class VectorMemory {
  private final long maxBytes;
  private final Set<LongSupplier> stores = ConcurrentHashMap.newKeySet();

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
    return stores.stream().mapToLong(LongSupplier::getAsLong).sum();
  }

  /**
   * Counts the structures of a store.
   *
   * @param bytes the bytes that these take
   */
  public void add(LongSupplier bytes) {
    stores.add(bytes);
  }

  /** Stops counting the structures of a store. */
  public void remove(LongSupplier bytes) {
    stores.remove(bytes);
  }
}
