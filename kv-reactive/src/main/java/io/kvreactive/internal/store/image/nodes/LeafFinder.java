package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * Finds the leaf of a key, and remembers the inner nodes above it: the leaf of the next key is
 * mostly below them too. Not thread-safe.
 */
final class LeafFinder {
  private final Store nodes;
  private final long rootRecidRecid;
  private final List<Above> path = new ArrayList<>(); // from the root

  /** An inner node and its recid. */
  record Above(long recid, InnerNode inner) {}

  /** A leaf and its recid. */
  record Found(long recid, LeafNode leaf) {}

  /**
   * Creates a finder.
   *
   * @param nodes the store of the tree
   * @param rootRecidRecid the record with the recid of the root
   */
  LeafFinder(Store nodes, long rootRecidRecid) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
  }

  /** Returns the leaf that has a key between its fences. */
  Found find(byte[] key) {
    long recid = start(key);
    while (true) {
      ImageNode node = read(recid, ImageNode.FORM);
      if (node.isBehindHighFence(key)) {
        recid = node.link();
      } else if (node instanceof InnerNode inner) {
        path.add(new Above(recid, inner));
        recid = inner.child(key);
      } else {
        return new Found(recid, (LeafNode) node);
      }
    }
  }

  /**
   * Returns the node at which the search starts: below the lowest remembered inner node that is
   * responsible for the key, otherwise the root.
   */
  private long start(byte[] key) {
    while (!path.isEmpty()) {
      InnerNode lowest = path.get(path.size() - 1).inner;
      if (lowest.isBehindLowFence(key) && !lowest.isBehindHighFence(key)) {
        return lowest.child(key);
      }
      path.remove(path.size() - 1);
    }
    return read(rootRecidRecid, Serializer.RECID);
  }

  /**
   * Removes and returns the lowest inner node above the last leaf, for changing it; null above the
   * root.
   */
  @Nullable Above up() {
    return path.isEmpty() ? null : path.remove(path.size() - 1);
  }

  private <R> R read(long recid, Serializer<R> serializer) {
    @Nullable R found = nodes.get(recid, serializer);
    if (found == null) {
      throw new KvException(KvErrorCode.CORRUPT, "no node " + recid + " in the image");
    }
    return found;
  }
}
