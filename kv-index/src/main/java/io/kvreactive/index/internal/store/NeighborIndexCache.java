package io.kvreactive.index.internal.store;

import io.kvreactive.index.internal.layout.VectorEntries;
import io.kvreactive.index.internal.worker.VectorMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The structures in memory of all approximate vector indexes of a store. Thread-safe. */
public final class NeighborIndexCache implements AutoCloseable {
  /**
   * Names an index of a store.
   *
   * @param collection the id of the collection
   * @param entries which entries of it
   * @param number of the index
   */
  public record Key(String collection, int entries, int number) {
    /** Returns the key of an index. */
    public static Key of(CollectionMetadata view, VectorEntries index) {
      return new Key(view.record().id(), view.record().entriesNumber(), index.number());
    }
  }

  /** The part of what is saved of an index that names the owner. */
  private static final byte[] OWNER = {1};

  private final Map<Key, CachedNeighborIndex> byKey = new ConcurrentHashMap<>();
  private final VectorMemory memory;
  private final LongSupplier bytes = this::memoryBytes; // one object, to be found again
  private final byte[] owner;

  /**
   * @param memory the bound of the structures of this and other stores
   */
  public NeighborIndexCache(VectorMemory memory) {
    this.memory = memory;
    UUID id = UUID.randomUUID();
    this.owner =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    memory.add(bytes);
  }

  /** Returns the key of the one whose structure of an index follows its marks. */
  public static byte[] ownerKey(CollectionKeys keys, int number) {
    return keys.savedVectors(number, OWNER);
  }

  /** Returns the value of that key for the structures here. */
  public byte[] owner() {
    return owner.clone();
  }

  /** Returns whether a value of that key says that it is the structure here. */
  public boolean isOwner(byte[] value) {
    return Arrays.equals(owner, value);
  }

  /** Returns the structure of an index, or null if there is none. */
  public @Nullable CachedNeighborIndex find(Key key) {
    return byKey.get(key);
  }

  /** Returns the structure of an index, empty if there was none. */
  public CachedNeighborIndex get(Key key) {
    return byKey.computeIfAbsent(key, missing -> new CachedNeighborIndex());
  }

  /** Forgets the structures of a collection. */
  public void forget(String collection) {
    byKey
        .entrySet()
        .removeIf(
            entry -> {
              boolean its = entry.getKey().collection().equals(collection);
              if (its) {
                entry.getValue().set(null);
              }
              return its;
            });
  }

  /** Returns the bytes that are left for the structure of an index, with those that it has. */
  public long roomFor(Key key) {
    CachedNeighborIndex own = byKey.get(key);
    return memory.maxBytes() - memory.usedBytes() + (own == null ? 0 : own.memoryBytes());
  }

  /** Returns the maximum number of bytes of this and other stores. */
  public long maxBytes() {
    return memory.maxBytes();
  }

  /** Returns the bytes of heap that all structures together take. */
  public long memoryBytes() {
    return byKey.values().stream().mapToLong(CachedNeighborIndex::memoryBytes).sum();
  }

  /** Frees all structures. */
  @Override
  public void close() {
    memory.remove(bytes);
    byKey.values().forEach(neighbors -> neighbors.set(null));
    byKey.clear();
  }
}
