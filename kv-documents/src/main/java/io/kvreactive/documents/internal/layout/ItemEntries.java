package io.kvreactive.documents.internal.layout;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All index entries of one item. The entries depend only on the layout, the item and its document
 * id, so that they can be computed again to remove them.
 *
 * @param keys the keys of range, composite, tuple and vector indexes, distinct and in ascending
 *     unsigned order
 * @param unique the entries of unique keys, in the order of the definition; their value is the
 *     document id
 * @param paths the key prefix of each path with a range entry, by the text of the path
 * @param overflowed true if an index has only an overflow entry for the item
 */
public record ItemEntries(
    List<byte[]> keys, List<UniqueEntry> unique, Map<String, byte[]> paths, boolean overflowed) {

  /**
   * Maximum number of entries of one item. One commit can hold these entries and those of the
   * former version.
   */
  public static final int MAX_ENTRIES = 40_000;

  /** Maximum number of distinct paths of the range entries of one item. */
  public static final int MAX_PATHS = 10_000;

  /** The key of a unique key's entry. */
  public record UniqueEntry(int number, byte[] key) {
    @Override
    public boolean equals(Object other) {
      return other instanceof UniqueEntry entry
          && number == entry.number
          && Arrays.equals(key, entry.key);
    }

    @Override
    public int hashCode() {
      return 31 * number + Arrays.hashCode(key);
    }
  }

  /**
   * Returns the entries of an item.
   *
   * @param item the item with all indexed members, including {@code _ts}
   * @param docId the document id, at least 1
   * @throws DocumentException LIMIT_EXCEEDED if there are too many entries, ITEM_TOO_LARGE if the
   *     item is too deep
   */
  public static ItemEntries of(IndexLayout layout, JsonNode item, long docId) {
    ContainerHashes hashes = new ContainerHashes();
    List<byte[]> keys = new ArrayList<>();
    Map<String, byte[]> paths = new HashMap<>();
    boolean overflowed = false;
    if (!layout.isNone()) {
      JsonNode whole = layout.withComputed(item);
      new RangeWalk(keys, paths, hashes, docId).walk(layout.root(), whole);
      for (IndexLayout.Rows index : layout.rows()) {
        overflowed |= addRows(index, whole, docId, hashes, keys);
        if (keys.size() > 2 * MAX_ENTRIES) {
          checkCount(keys);
        }
      }
      layout.vectors().forEach(index -> index.addKeys(item, whole, docId, keys));
      checkCount(keys);
    }
    return new ItemEntries(
        Collections.unmodifiableList(keys),
        unique(layout, item, hashes),
        Collections.unmodifiableMap(paths),
        overflowed);
  }

  /**
   * Returns the entries that a stored item may have, in order to remove them. No range entries are
   * returned if there are too many of them, because these were never written.
   */
  public static List<byte[]> stored(IndexLayout layout, JsonNode item, long docId) {
    List<byte[]> keys = new ArrayList<>();
    if (layout.isNone()) {
      return keys;
    }
    ContainerHashes hashes = new ContainerHashes();
    JsonNode whole = layout.withComputed(item);
    try {
      new RangeWalk(keys, new HashMap<>(), hashes, docId).walk(layout.root(), whole);
      checkCount(keys);
    } catch (DocumentException e) {
      keys.clear();
    }
    for (IndexLayout.Rows index : layout.rows()) {
      var unused = addRows(index, whole, docId, hashes, keys);
    }
    layout.vectors().forEach(index -> index.addKeys(item, whole, docId, keys));
    sortDistinct(keys);
    return keys;
  }

  /**
   * Returns the {@link #paths} of an item, even of an item with too many entries. Such an item may
   * have entries written before its largest array or object was included.
   */
  public static Map<String, byte[]> pathsOf(IndexLayout layout, JsonNode item) {
    Map<String, byte[]> paths = new HashMap<>();
    if (!layout.isNone()) {
      new PathWalk(paths).walk(layout.root(), layout.withComputed(item));
    }
    return paths;
  }

  /** Returns only the entries of an item's unique keys. */
  public static List<UniqueEntry> unique(IndexLayout layout, JsonNode item) {
    return unique(layout, item, new ContainerHashes());
  }

  /**
   * Returns the entries of an item in some of its composite and tuple indexes, as in {@link #keys},
   * but unordered.
   *
   * @param prefixes the key prefixes of these indexes
   * @throws DocumentException as above, but for these entries alone
   */
  public static List<byte[]> rowKeys(
      IndexLayout layout, JsonNode item, long docId, List<byte[]> prefixes) {
    ContainerHashes hashes = new ContainerHashes();
    List<byte[]> keys = new ArrayList<>();
    JsonNode whole = layout.withComputed(item);
    for (IndexLayout.Rows index : layout.rows()) {
      if (!layout.isNone() && prefixes.stream().anyMatch(index.keys()::startsWith)) {
        addRows(index, whole, docId, hashes, keys);
      }
    }
    for (StoredVectorIndex index : layout.vectors()) {
      if (isAmong(index, prefixes)) {
        index.addKeys(item, whole, docId, keys);
      }
    }
    checkCount(keys);
    return keys;
  }

  /**
   * Returns the names of the stored members of an item that its {@link #rowKeys} depend on, or null
   * for all members.
   *
   * @param prefixes the key prefixes of these indexes
   */
  public static @Nullable Set<String> rowMembers(IndexLayout layout, List<byte[]> prefixes) {
    Set<String> names = new HashSet<>();
    for (IndexLayout.Rows index : layout.rows()) {
      if (prefixes.stream().anyMatch(index.keys()::startsWith)
          && !index.shape().addMembers(names)) {
        return null;
      }
    }
    for (StoredVectorIndex index : layout.vectors()) {
      if (isAmong(index, prefixes)) {
        names.add(((MemberStep) index.path().steps().get(0)).name());
        IndexPath shardPath = index.shardPath();
        if (shardPath != null) {
          names.add(((MemberStep) shardPath.steps().get(0)).name());
        }
      }
    }
    return layout.computed().inputs(names);
  }

  private static boolean isAmong(StoredVectorIndex index, List<byte[]> prefixes) {
    byte[] own = index.prefix();
    return prefixes.stream().anyMatch(prefix -> Arrays.equals(prefix, own));
  }

  /** Adds the keys of an item in one index, and returns true if there is only an overflow entry. */
  private static boolean addRows(
      IndexLayout.Rows index,
      JsonNode item,
      long docId,
      ContainerHashes hashes,
      List<byte[]> keys) {
    List<JsonNode[]> rows = index.shape().rows(item);
    if (rows == null) {
      keys.add(index.keys().overflowKey(docId));
      return true;
    }
    for (JsonNode[] row : rows) {
      checkpoint();
      keys.add(index.keys().key(row, docId, hashes));
    }
    return false;
  }

  private static List<UniqueEntry> unique(
      IndexLayout layout, JsonNode item, ContainerHashes hashes) {
    List<UniqueEntry> entries = new ArrayList<>(layout.uniqueKeys().size());
    for (UniqueIndex index : layout.uniqueKeys()) {
      int budget = ValueEncoding.budget(layout.partitionKey().size() + index.paths().size());
      KeyBuffer out = new KeyBuffer().add(EntryKeys.prefix('U', index.number()));
      for (IndexPath path : layout.partitionKey()) {
        ValueEncoding.writeExact(out, valueOrNull(item, path), budget, hashes);
      }
      for (IndexPath path : index.paths()) {
        ValueEncoding.writeExact(out, valueOrNull(item, path), budget, hashes);
      }
      entries.add(new UniqueEntry(index.number(), out.toBytes()));
    }
    return List.copyOf(entries);
  }

  private static JsonNode valueOrNull(JsonNode item, IndexPath path) {
    JsonNode value = path.in(item);
    return value.isMissingNode() ? NullNode.getInstance() : value;
  }

  /**
   * Checks the number of entries. Equal entries, such as those of equal array elements, count once.
   */
  static void checkCount(List<byte[]> keys) {
    sortDistinct(keys);
    if (keys.size() > MAX_ENTRIES) {
      throw tooMany(MAX_ENTRIES, "index entries");
    }
  }

  static DocumentException tooMany(int limit, String what) {
    return new DocumentException(
        DocumentErrorCode.LIMIT_EXCEEDED,
        "The item has more than "
            + limit
            + " "
            + what
            + "; exclude the path of its largest array or object from the index.");
  }

  static void sortDistinct(List<byte[]> keys) {
    keys.sort(
        (one, other) -> {
          checkpoint();
          return Arrays.compareUnsigned(one, other);
        });
    int kept = 0;
    for (byte[] key : keys) {
      if (kept == 0 || !Arrays.equals(keys.get(kept - 1), key)) {
        keys.set(kept++, key);
      }
    }
    keys.subList(kept, keys.size()).clear();
  }
}
