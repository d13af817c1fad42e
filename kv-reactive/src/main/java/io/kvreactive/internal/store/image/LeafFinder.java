package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * Finds the leaf of a key, and remembers the directories above it: the leaf of the next key is
 * mostly below them too. For one thread.
 */
final class LeafFinder {
  private final Store nodes;
  private final long rootRecidRecid;
  private final List<Above> path = new ArrayList<>(); // from the root

  /** A directory and where it was read. */
  record Above(long recid, Directory directory) {}

  /** A leaf and where it was read. */
  record Found(long recid, Leaf leaf) {}

  /**
   * @param nodes where the tree is
   * @param rootRecidRecid the record that names its root
   */
  LeafFinder(Store nodes, long rootRecidRecid) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
  }

  /** The leaf that has a key between its fences. */
  Found find(byte[] key) {
    long recid = start(key);
    while (true) {
      Node node = read(recid, Node.FORM);
      if (node.isBehindHighFence(key)) {
        recid = node.link();
      } else if (node instanceof Directory directory) {
        path.add(new Above(recid, directory));
        recid = directory.child(key);
      } else {
        return new Found(recid, (Leaf) node);
      }
    }
  }

  /** The node below the lowest directory that is for a key, of those above the last leaf. */
  private long start(byte[] key) {
    while (!path.isEmpty()) {
      Directory lowest = path.get(path.size() - 1).directory;
      if (lowest.isBehindLowFence(key) && !lowest.isBehindHighFence(key)) {
        return lowest.child(key);
      }
      path.remove(path.size() - 1);
    }
    return read(rootRecidRecid, Serializer.RECID);
  }

  /** Takes away the lowest directory above the last leaf, to change it; null above the root. */
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
