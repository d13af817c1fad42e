package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.mapdb.Store;

/**
 * The records of a range from its end, also while the tree is being written. MapDB's own iterator
 * cannot do that: between the split of a node and the new half's entry in the parent it finds only
 * the left half when the range ends in the other one, or, if they are inner nodes, runs past the
 * last leaf; and when leaves under a node that it holds are split more than once, it gives the
 * pieces out of order.
 *
 * <p>So this one looks the leaf up anew for every leaf, by the key at which the last one began. A
 * leaf has the keys behind its low fence up to its high fence. Nodes only ever split to the right
 * and are never freed: a node's low fence never changes, its high fence only goes down, to the low
 * fence of the node it is linked to from then on. So a search that goes down by any inner nodes,
 * old or new, ends at the leaf that has the key or left of it, and by the links at the leaf that
 * has it. That leaf was read at once: it gives all that there was from its low fence up to the key.
 * The next search is for the low fence, so nothing is left out and nothing comes twice, whatever is
 * split meanwhile, and no reading is ever done again.
 */
public final class DescendingRecords implements Iterator<Map.Entry<byte[], ImageRecord>> {
  private final Store nodes;
  private final long rootRecidRecid;
  private final byte[] start;
  private byte[] end;
  private boolean withEnd;
  private boolean more = true;
  private LeafNode leaf = LeafNode.EMPTY;
  private int at = -1; // what comes next, unless it is before the first
  private int first;

  /**
   * @param nodes where the tree is
   * @param rootRecidRecid the record that names its root
   * @param start inclusive
   * @param end exclusive
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
      if (Arrays.compareUnsigned(low, end) >= 0) { // and so on for ever
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

  /** Returns the leaf with {@link #end} between its fences. */
  private LeafNode find() {
    return new LeafFinder(nodes, rootRecidRecid).find(end).leaf(); // anew, see above
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
