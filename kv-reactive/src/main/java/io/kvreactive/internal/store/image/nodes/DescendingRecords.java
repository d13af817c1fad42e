package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.mapdb.Store;

/**
 * A descending iterator over the records of a range, also while the tree is being written. MapDB's
 * own iterator does not support that. Before the parent contains the new half of a split leaf, it
 * finds only the left half if the range ends in the right one. Before the parent contains the new
 * half of a split inner node, it runs past the last leaf. If leaves under a node that it holds are
 * split more than once, it returns the parts in the wrong order.
 *
 * <p>So this iterator searches for every leaf from the root, by the low fence of the previous leaf.
 * A leaf has the keys after its low fence up to its high fence. Nodes only split to the right and
 * are never freed. So the low fence of a node never changes, and its high fence only decreases, to
 * the low fence of the node to which it then links. A search through old or new inner nodes ends at
 * the leaf of the key or left of that leaf, and then follows links to it. That leaf is read at
 * once, so it contains all keys from its low fence up to the key. The next search is for the low
 * fence. So concurrent splits never cause an omitted or repeated record, and no search has to be
 * repeated.
 */
public final class DescendingRecords implements Iterator<Map.Entry<byte[], ImageRecord>> {
  private final Store nodes;
  private final long rootRecidRecid;
  private final byte[] start;
  private byte[] end;
  private boolean withEnd;
  private boolean more = true;
  private LeafNode leaf = LeafNode.EMPTY;
  private int at = -1; // next index, unless it is before first
  private int first;

  /**
   * Creates an iterator.
   *
   * @param nodes the store of the tree
   * @param rootRecidRecid the record with the recid of the root
   * @param start the inclusive start
   * @param end the exclusive end
   */
  public DescendingRecords(Store nodes, long rootRecidRecid, byte[] start, byte[] end) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
    this.start = start;
    this.end = end;
  }

  @Override
  public boolean hasNext() {
    while (at < first && more) {
      read();
    }
    return at >= first;
  }

  private void read() {
    leaf = find();
    int found = ImageNode.KEYS.valueArraySearch(leaf.keys(), end);
    at = Math.min(found < 0 ? -found - 2 : withEnd ? found : found - 1, leaf.last());
    first = leaf.first();
    if (leaf.has(ImageNode.LEFT)) {
      more = false;
    } else {
      byte[] low = ImageNode.KEYS.valueArrayGet(leaf.keys(), 0);
      if (Arrays.compareUnsigned(low, end) >= 0) { // would loop forever
        throw new KvException(KvErrorCode.CORRUPT, "the keys of the image are not in order");
      }
      more = Arrays.compareUnsigned(low, start) >= 0;
      end = low;
      withEnd = true;
    }
    if (!more) {
      int from = ImageNode.KEYS.valueArraySearch(leaf.keys(), start);
      first = Math.max(first, from < 0 ? -from - 1 : from);
    }
  }

  /** Returns the leaf that has {@link #end} between its fences. */
  private LeafNode find() {
    return new LeafFinder(nodes, rootRecidRecid).find(end).leaf(); // a new search, see above
  }

  @Override
  public Map.Entry<byte[], ImageRecord> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int pos = at--;
    return Map.entry(
        ImageNode.KEYS.valueArrayGet(leaf.keys(), pos),
        ImageNode.VALUES.valueArrayGet(leaf.values(), pos - leaf.first()));
  }
}
