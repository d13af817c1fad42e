package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Edit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mapdb.BTreeMap;
import org.mapdb.Store;

/**
 * Changes a tree key by key, and writes the changes of a leaf together. For keys in order, as those
 * of a memtable, a leaf is read, packed and written once instead of once for each key. (Measured: a
 * run of new keys takes a sixth of the time.) A key that is a leaf's high fence is passed to
 * MapDB's own tree, which then changes only that leaf. Confined to the thread that writes the tree.
 */
public final class LeafBatchWriter {
  /**
   * Maximum number of edits of a leaf before it is written. A run of new keys splits it into about
   * twenty leaves.
   */
  private static final int MAX_EDITS = 512;

  private final BTreeMap<byte[], ImageRecord> tree;
  private final LeafFinder finder;
  private final NodeSplitter splitter;

  private LeafFinder.@Nullable Found open;
  private byte[] last = {}; // last key for which the open leaf was used
  private final List<Edit> keyEdits = new ArrayList<>();
  private final List<Edit> valueEdits = new ArrayList<>();

  /**
   * Creates a writer.
   *
   * @param tree the tree, which must not be changed otherwise before {@link #flush}
   * @param nodes the store of the tree
   * @param maxLeafSize the maximum number of keys of a leaf, with fences
   */
  public LeafBatchWriter(BTreeMap<byte[], ImageRecord> tree, Store nodes, int maxLeafSize) {
    this.tree = tree;
    this.finder = new LeafFinder(nodes, tree.getRootRecidRecid());
    this.splitter = new NodeSplitter(nodes, tree.getRootRecidRecid(), maxLeafSize);
  }

  /** Sets a key and returns its previous record, or null. */
  public @Nullable ImageRecord put(byte[] key, ImageRecord record) {
    LeafNode leaf = leafOf(key);
    if (leaf == null) {
      return tree.put(key, record);
    }
    int found = ImageNode.KEYS.valueArraySearch(leaf.keys(), key);
    byte[] packed = ImageNode.VALUES.pack(record);
    if (found >= 0) {
      int at = found - leaf.first();
      valueEdits.add(new Edit(at, true, packed));
      return ImageNode.VALUES.valueArrayGet(leaf.values(), at);
    }
    int at = -found - 1;
    keyEdits.add(new Edit(at, false, key));
    valueEdits.add(new Edit(at - leaf.first(), false, packed));
    return null;
  }

  /** Removes a key and returns its previous record, or null. */
  public @Nullable ImageRecord remove(byte[] key) {
    LeafNode leaf = leafOf(key);
    if (leaf == null) {
      return tree.remove(key);
    }
    int found = ImageNode.KEYS.valueArraySearch(leaf.keys(), key);
    if (found < 0) {
      return null;
    }
    int at = found - leaf.first();
    keyEdits.add(new Edit(found, true, null));
    valueEdits.add(new Edit(at, true, null));
    return ImageNode.VALUES.valueArrayGet(leaf.values(), at);
  }

  /**
   * Returns the open leaf, which may be changed at a key; null, with no leaf open, if the key is
   * its high fence.
   */
  private @Nullable LeafNode leafOf(byte[] key) {
    LeafFinder.Found found = open;
    if (found == null
        || valueEdits.size() >= MAX_EDITS
        || !isBefore(key, found.leaf())
        || Arrays.compareUnsigned(key, last) <= 0) {
      flush();
      found = finder.find(key);
      if (!isBefore(key, found.leaf())) {
        return null;
      }
      open = found;
    }
    last = key;
    return found.leaf();
  }

  /** Returns true if a key is before the high fence of a leaf. */
  private static boolean isBefore(byte[] key, LeafNode leaf) {
    return leaf.has(ImageNode.RIGHT) || leaf.keys().compare(leaf.keys().size() - 1, key) > 0;
  }

  /** Writes the changes of the open leaf. */
  public void flush() {
    LeafFinder.Found found = open;
    if (found == null) {
      return;
    }
    open = null;
    try {
      if (!valueEdits.isEmpty()) {
        LeafNode leaf = found.leaf();
        LeafNode changed = leaf.with(leaf.keys().with(keyEdits), leaf.values().with(valueEdits));
        splitter.write(found.recid(), changed, finder);
      }
    } finally { // a retry after a failure starts with the first key again
      keyEdits.clear();
      valueEdits.clear();
    }
  }
}
