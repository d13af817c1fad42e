package io.kvreactive.index.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.VectorEmbedding;
import io.kvreactive.index.VectorIndex;
import io.kvreactive.index.internal.encoding.DocIds;
import io.kvreactive.index.internal.encoding.KeyBuffer;
import io.kvreactive.index.internal.encoding.Sha256;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.value.VectorReader;
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
 * @param number the number of the index in keys, for as long as the index is defined
 * @param path the path of the vectors
 * @param definition the index as defined in the policy
 * @param embedding the embedding policy of the path
 */
public record StoredVectorIndex(
    int number, IndexPath path, VectorIndex definition, VectorEmbedding embedding) {
  /** The kind of the index, the first byte of its keys. */
  static final char SPACE = 'V';

  private static final int HASH = 16;
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

  /** Returns the range of all keys. */
  public KeyRange everything() {
    return everything(number);
  }

  /** Returns the range of all keys of the index with a number. */
  public static KeyRange everything(int number) {
    byte[] start = prefix(number);
    byte[] end = Arrays.copyOf(start, start.length + 1);
    end[start.length] = (byte) EntryKeys.AFTER;
    return new KeyRange(start, end, true);
  }

  /** Returns the range of the key of one item. */
  public KeyRange of(long docId) {
    KeyBuffer start = new KeyBuffer().add(prefix());
    DocIds.write(start, docId);
    byte[] end = Arrays.copyOf(start.toBytes(), start.size() + HASH + 1);
    Arrays.fill(end, start.size(), end.length, (byte) EntryKeys.AFTER);
    return new KeyRange(start.toBytes(), end, true);
  }

  /** Returns the document id of a key. */
  public static long docId(byte[] key) {
    return DocIds.read(Arrays.copyOf(key, key.length - HASH), 1 + Integer.BYTES);
  }

  /** Returns the first eight bytes of the hash in a key, which differ for different vectors. */
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
      byte[] prefix = index.prefix();
      for (byte[] key : index.isApproximate() ? keys : List.<byte[]>of()) {
        if (key.length > prefix.length
            && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
          found.computeIfAbsent(index.number(), number -> new TreeSet<>()).add(docId(key));
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
        byte[] prefix = index.prefix();
        if (Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
          byte[] value = index.value(item);
          return value == null ? NO_VALUE : value;
        }
      }
    }
    return NO_VALUE;
  }

  /** Adds the key of an item if it has a vector of the right length. */
  void addKey(JsonNode item, long docId, List<byte[]> keys) {
    byte[] value = value(item);
    if (value != null) {
      KeyBuffer out = new KeyBuffer().add(prefix());
      DocIds.write(out, docId);
      keys.add(out.add(Sha256.sha256(value), HASH).toBytes());
    }
  }

  private byte @Nullable [] value(JsonNode item) {
    JsonNode array = PathTree.valueAt(item, path);
    float[] vector = array.size() == embedding.dimensions() ? VectorReader.read(array) : null;
    if (vector == null) {
      return null;
    }
    ByteBuffer value = ByteBuffer.allocate(vector.length * Float.BYTES);
    value.asFloatBuffer().put(vector);
    return value.array();
  }
}
