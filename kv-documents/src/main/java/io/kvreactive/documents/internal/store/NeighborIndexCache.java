package io.kvreactive.documents.internal.store;

import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.worker.VectorMemory;
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
   * The identity of an index in a store.
   *
   * @param collection the id of the collection
   * @param entries the number of the collection's space of entries
   * @param number the number of the index
   */
  public record Key(String collection, int entries, int number) {
    /** Returns the key of an index. */
    public static Key of(CollectionMetadata metadata, StoredVectorIndex index) {
      return new Key(metadata.record().id(), metadata.record().entriesNumber(), index.number());
    }
  }

  /** The part of a saved structure's keys that names the owner. */
  private static final byte[] OWNER = {1};

  private final Map<Key, CachedNeighborIndex> byKey = new ConcurrentHashMap<>();
  private final VectorMemory memory;
  private final LongSupplier bytes = this::memoryBytes; // one object, to be found again
  private final byte[] owner;

  /**
   * Creates a cache.
   *
   * @param memory the memory limit of the structures of this and other stores
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

  /**
   * Returns the key that names the owner of an index: the process whose structure follows the
   * marks.
   */
  public static byte[] ownerKey(CollectionKeys keys, int number) {
    return keys.savedVectors(number, OWNER);
  }

  /** Returns the value of the owner key for the structures of this cache. */
  public byte[] owner() {
    return owner.clone();
  }

  /** Returns true if a value of the owner key names this cache. */
  public boolean isOwner(byte[] value) {
    return Arrays.equals(owner, value);
  }

  /** Returns the structure of an index, or null if there is none. */
  public @Nullable CachedNeighborIndex find(Key key) {
    return byKey.get(key);
  }

  /** Returns the structure of an index, creating an empty one if there is none. */
  public CachedNeighborIndex get(Key key) {
    return byKey.computeIfAbsent(key, missing -> new CachedNeighborIndex());
  }

  /** Removes the structures of a collection. */
  public void removeCollection(String collection) {
    byKey
        .entrySet()
        .removeIf(
            entry -> {
              boolean matches = entry.getKey().collection().equals(collection);
              if (matches) {
                entry.getValue().set(null);
              }
              return matches;
            });
  }

  /**
   * Returns the number of bytes available to the structure of an index, including its current ones.
   */
  public long roomFor(Key key) {
    CachedNeighborIndex own = byKey.get(key);
    return memory.maxBytes() - memory.usedBytes() + (own == null ? 0 : own.memoryBytes());
  }

  /** Returns the maximum number of bytes of this and other stores. */
  public long maxBytes() {
    return memory.maxBytes();
  }

  /** Returns the heap memory of all structures in bytes. */
  public long memoryBytes() {
    return byKey.values().stream().mapToLong(CachedNeighborIndex::memoryBytes).sum();
  }

  /** Removes all structures. */
  @Override
  public void close() {
    memory.remove(bytes);
    byKey.values().forEach(neighbors -> neighbors.set(null));
    byKey.clear();
  }
}
