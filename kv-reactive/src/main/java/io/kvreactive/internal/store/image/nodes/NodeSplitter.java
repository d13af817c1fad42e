package io.kvreactive.internal.store.image.nodes;

import java.util.ArrayList;
import java.util.List;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * Writes changed nodes of a tree. A node that has become too large is split into as many as
 * necessary at once. MapDB's own tree would halve it for each sixteenth key of a run, and leave
 * half-full nodes. (Measured: that was half of the time to write a memtable.)
 *
 * <p>New nodes are written before the node that links to them, and that node before its parents are
 * changed. So a reader always finds all keys, as with MapDB's own tree. Confined to the thread that
 * writes the tree.
 */
final class NodeSplitter {
  /** Maximum number of keys of an inner node, relative to that of a leaf. */
  private static final int INNER = 2;

  private static final long NEW = 0; // no record has this number

  private final Store nodes;
  private final long rootRecidRecid;
  private final int maxLeafSize;

  /**
   * Creates a splitter.
   *
   * @param nodes the store of the tree
   * @param rootRecidRecid the record with the recid of the root
   * @param maxLeafSize the maximum number of keys of a leaf, with fences
   */
  NodeSplitter(Store nodes, long rootRecidRecid, int maxLeafSize) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
    this.maxLeafSize = maxLeafSize;
  }

  /**
   * Returns the maximum number of keys of a node, with fences. An inner node may have more than a
   * leaf: it is written less often, and fewer inner nodes stay in the processor's cache more
   * easily. (Measured among 1M items: 7 % more point queries with twice as many keys, and no more
   * with four times as many.)
   */
  private int maxSize(ImageNode node) {
    return node instanceof InnerNode ? INNER * maxLeafSize : maxLeafSize;
  }

  /**
   * Writes a node, split if it is too large.
   *
   * @param finder the finder that has its parents
   */
  void write(long recid, ImageNode node, LeafFinder finder) {
    if (node.keys().size() <= maxSize(node)) {
      nodes.update(recid, node, ImageNode.FORM);
      return;
    }
    Divided divided = divide(recid, node);
    LeafFinder.Above above = finder.up();
    if (above != null) {
      write(above.recid(), divided.below(above.inner()), finder);
    } else {
      newRoot(divided.below(InnerNode.over(recid)));
    }
  }

  /**
   * Installs a new root when it is complete: MapDB treats an inner node above a single child, which
   * has no keys, as one without children.
   */
  private void newRoot(InnerNode inner) {
    InnerNode root = inner;
    while (root.keys().size() > maxSize(root)) {
      Divided divided = divide(NEW, root);
      root = divided.below(InnerNode.over(divided.first()));
    }
    nodes.update(rootRecidRecid, nodes.put(root, ImageNode.FORM), Serializer.RECID);
  }

  /**
   * The parts of a split node.
   *
   * @param first the recid of the first part
   * @param fences the low fence of each other part
   * @param added the recids of all other parts
   */
  private record Divided(long first, List<byte[]> fences, long[] added) {
    /** Returns the parent with the parts as children. */
    InnerNode below(InnerNode above) {
      return above.with(fences, added);
    }
  }

  /**
   * Writes the parts of a node, from the last to the first.
   *
   * @param recid the recid of the node, which its first part keeps; or {@link #NEW}
   */
  private Divided divide(long recid, ImageNode node) {
    int entries = node.entries();
    int most = maxSize(node) - 2; // two are fences
    int parts = (entries + most - 1) / most;
    List<byte[]> fences = new ArrayList<>(parts - 1);
    for (int part = 1; part < parts; part++) {
      fences.add(node.fence(entries * part / parts));
    }
    long[] added = new long[parts - 1];
    long link = node.link();
    for (int part = parts - 1; part > 0; part--) {
      int to = entries * (part + 1) / parts;
      link = nodes.put(node.part(entries * part / parts, to, link), ImageNode.FORM);
      added[part - 1] = link;
    }
    ImageNode first = node.part(0, entries / parts, link);
    if (recid == NEW) {
      return new Divided(nodes.put(first, ImageNode.FORM), fences, added);
    }
    nodes.update(recid, first, ImageNode.FORM);
    return new Divided(recid, fences, added);
  }
}
