package io.kvreactive.internal.store.image.nodes;

import java.util.ArrayList;
import java.util.List;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * Writes changed nodes of a tree. One that has become too large is divided into as many as it
 * takes, all at once: MapDB's own tree would halve it for each sixteenth key of a run, and leave
 * nodes half full behind. (Measured: that was half of the time to write a memtable.)
 *
 * <p>New nodes are written before the one that links to them, and that before the ones above know
 * them: so a reader always finds all keys, as with MapDB's own. The thread that writes the tree.
 */
final class NodeSplitter {
  private static final long NEW = 0; // no record has this number

  private final Store nodes;
  private final long rootRecidRecid;
  private final int maxNodeSize;

  /**
   * @param nodes where the tree is
   * @param rootRecidRecid the record that names its root
   * @param maxNodeSize keys of a node, with fences
   */
  NodeSplitter(Store nodes, long rootRecidRecid, int maxNodeSize) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
    this.maxNodeSize = maxNodeSize;
  }

  /**
   * Writes a node, and those that it is divided into if it is too large.
   *
   * @param finder knows what is above it
   */
  void write(long recid, ImageNode node, LeafFinder finder) {
    if (node.keys().size() <= maxNodeSize) {
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
   * Readers see a root only when it is whole: to MapDB an inner node over a single node, which has
   * no keys, is one that has nothing below it.
   */
  private void newRoot(InnerNode inner) {
    InnerNode root = inner;
    while (root.keys().size() > maxNodeSize) {
      Divided divided = divide(NEW, root);
      root = divided.below(InnerNode.over(divided.first()));
    }
    nodes.update(rootRecidRecid, nodes.put(root, ImageNode.FORM), Serializer.RECID);
  }

  /**
   * What a node has been divided into.
   *
   * @param fences the key behind which each but the first begins
   * @param added all but the first
   */
  private record Divided(long first, List<byte[]> fences, long[] added) {
    /** What is above the node, with what it has been divided into. */
    InnerNode below(InnerNode above) {
      return above.with(fences, added);
    }
  }

  /**
   * Writes the parts of a node, from the last to the first.
   *
   * @param recid where the node is, and its first part will be; or {@link #NEW}
   */
  private Divided divide(long recid, ImageNode node) {
    int entries = node.entries();
    int most = maxNodeSize - 2; // two are fences
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
