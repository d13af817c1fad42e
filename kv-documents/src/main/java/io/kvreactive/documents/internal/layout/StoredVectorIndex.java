package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.Sha256;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.value.VectorReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a vector index: one for each item with a vector, in the order of document ids. A
 * key is {@code V}, the number of the index, the document id and {@value #HASH} bytes of the hash
 * of the value. A different vector therefore has a different key. The value holds the elements as
 * float32, big-endian.
 *
 * <p>If the index has a shard path, the entries of each shard are adjacent. Two keys of an item
 * follow the number of the index:
 *
 * <ul>
 *   <li>the entry: {@code S}, the shard, the document id and the hash of the shard and the value;
 *   <li>the locator, which has no value: {@code L}, the document id and the shard.
 * </ul>
 *
 * <p>A shard is a hash of {@value Long#BYTES} bytes of the value at the shard path. A missing value
 * has a shard, too.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 * @param path the path of the vectors
 * @param shardPath the path of the values of which each has a shard; null if there are no shards
 * @param definition the index as defined in the policy
 * @param embedding the embedding policy of the path
 */
public record StoredVectorIndex(
    int number,
    IndexPath path,
    @Nullable IndexPath shardPath,
    VectorIndex definition,
    VectorEmbedding embedding) {
  /** The kind of the index, the first byte of its keys. */
  static final char SPACE = 'V';

  private static final int HASH = 16;
  private static final int PREFIX = 1 + Integer.BYTES;
  private static final char ENTRY = 'S';
  private static final char LOCATOR = 'L';
  private static final byte[] NO_VALUE = {};

  /**
   * Returns true if a structure in memory finds the candidates, that is, if the index is not flat.
   */
  public boolean isApproximate() {
    return !definition.type().equals(VectorIndex.FLAT);
  }

  /** Returns the prefix of all keys. */
  public byte[] prefix() {
    return prefix(number);
  }

  /** Returns the prefix of all keys of the index with a number. */
  public static byte[] prefix(int number) {
    return EntryKeys.prefix(SPACE, number);
  }

  /** Returns the range of all entries. */
  public KeyRange everything() {
    return isSharded() ? below(entries(), 0) : everything(number);
  }

  /** Returns the range of all keys of the index with a number. */
  public static KeyRange everything(int number) {
    return below(new KeyBuffer().add(prefix(number)), 0);
  }

  /** Returns true if the index has a shard path. */
  public boolean isSharded() {
    return shardPath != null;
  }

  /** Returns the range of the entry of one item of an index without shards. */
  public KeyRange of(long docId) {
    KeyBuffer start = new KeyBuffer().add(prefix());
    DocIds.write(start, docId);
    return below(start, HASH);
  }

  // ---- shards

  /** Returns the shard of a value: a number of at least 0. */
  public static long shard(JsonNode value) {
    KeyBuffer out = new KeyBuffer();
    ValueEncoding.writeExact(out, value, ValueEncoding.KEY_BUDGET, new ContainerHashes());
    return ByteBuffer.wrap(Sha256.sha256(out.toBytes())).getLong() & Long.MAX_VALUE;
  }

  /** Returns the range of all entries of a shard. */
  public KeyRange ofShard(long shard) {
    return below(entries().add(shard, Long.BYTES), 0);
  }

  /** Returns the range of the entry of one item of a shard. */
  public KeyRange of(long shard, long docId) {
    KeyBuffer start = entries().add(shard, Long.BYTES);
    DocIds.write(start, docId);
    return below(start, HASH);
  }

  /** Returns the range of the locator of one item. */
  public KeyRange locator(long docId) {
    return below(locatorOf(docId), Long.BYTES);
  }

  /** Returns true if a key is a locator of any vector index. */
  public static boolean isLocator(byte[] key) {
    return key[0] == SPACE && key.length > PREFIX && key[PREFIX] == LOCATOR;
  }

  /** Returns the shard of a locator. */
  public static long shardOfLocator(byte[] key) {
    return ByteBuffer.wrap(key, key.length - Long.BYTES, Long.BYTES).getLong();
  }

  /** Returns the shard of an entry, or 0 if the index has no shards. */
  public long shard(byte[] key) {
    return isSharded() ? ByteBuffer.wrap(key, PREFIX + 1, Long.BYTES).getLong() : 0;
  }

  private KeyBuffer entries() {
    return new KeyBuffer().add(prefix()).add(ENTRY);
  }

  private KeyBuffer locatorOf(long docId) {
    KeyBuffer out = new KeyBuffer().add(prefix()).add(LOCATOR);
    DocIds.write(out, docId);
    return out;
  }

  /**
   * Returns the range of the keys that consist of a prefix and a bounded number of further bytes.
   */
  private static KeyRange below(KeyBuffer start, int more) {
    byte[] end = Arrays.copyOf(start.toBytes(), start.size() + more + 1);
    Arrays.fill(end, start.size(), end.length, (byte) EntryKeys.AFTER);
    return new KeyRange(start.toBytes(), end, true);
  }

  // ---- entries

  /** Returns the document id of an entry. */
  public long docId(byte[] key) {
    return DocIds.read(
        Arrays.copyOf(key, key.length - HASH), isSharded() ? PREFIX + 1 + Long.BYTES : PREFIX);
  }

  /** Returns true if a key is an entry of this index. */
  private boolean isEntry(byte[] key) {
    byte[] prefix = prefix();
    return key.length > prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)
        && (!isSharded() || key[prefix.length] == ENTRY);
  }

  /**
   * Returns the first eight bytes of the hash in an entry, which differ for different vectors and
   * shards.
   */
  public static long stamp(byte[] key) {
    return ByteBuffer.wrap(key, key.length - HASH, Long.BYTES).getLong();
  }

  /**
   * Returns the document ids with entries in approximate indexes, by the number of the index.
   *
   * @param keys the keys of any indexes, without the prefix of the store
   */
  public static Map<Integer, Set<Long>> approximate(IndexLayout layout, Collection<byte[]> keys) {
    Map<Integer, Set<Long>> found = new TreeMap<>();
    for (StoredVectorIndex index : layout.vectors()) {
      for (byte[] key : index.isApproximate() ? keys : List.<byte[]>of()) {
        if (index.isEntry(key)) {
          found.computeIfAbsent(index.number(), number -> new TreeSet<>()).add(index.docId(key));
        }
      }
    }
    return found;
  }

  /** Reads the elements of a value. */
  public static void read(byte[] value, float[] vector) {
    ByteBuffer.wrap(value).asFloatBuffer().get(vector);
  }

  /**
   * Returns the value of an item's entry, which is empty for all but vectors.
   *
   * @param key the key without the prefix of the store
   */
  public static byte[] value(IndexLayout layout, byte[] key, JsonNode item) {
    if (key[0] == SPACE) {
      for (StoredVectorIndex index : layout.vectors()) {
        if (index.isEntry(key)) {
          byte[] value = index.value(item);
          return value == null ? NO_VALUE : value;
        }
      }
    }
    return NO_VALUE;
  }

  /**
   * Adds the keys of an item if it has a vector of the right length.
   *
   * @param whole the item with the computed properties of shard paths
   */
  void addKeys(JsonNode item, JsonNode whole, long docId, List<byte[]> keys) {
    byte[] value = value(item);
    IndexPath by = shardPath;
    if (value == null) {
      return;
    }
    KeyBuffer out = by == null ? new KeyBuffer().add(prefix()) : entries();
    byte[] hashed = value;
    if (by != null) {
      long shard = shard(by.in(whole));
      out.add(shard, Long.BYTES);
      keys.add(locatorOf(docId).add(shard, Long.BYTES).toBytes());
      hashed = ByteBuffer.allocate(Long.BYTES + value.length).putLong(shard).put(value).array();
    }
    DocIds.write(out, docId);
    keys.add(out.add(Sha256.sha256(hashed), HASH).toBytes());
  }

  private byte @Nullable [] value(JsonNode item) {
    JsonNode array = path.in(item);
    float[] vector = array.size() == embedding.dimensions() ? VectorReader.read(array) : null;
    if (vector == null) {
      return null;
    }
    ByteBuffer value = ByteBuffer.allocate(vector.length * Float.BYTES);
    value.asFloatBuffer().put(vector);
    return value.array();
  }
}
