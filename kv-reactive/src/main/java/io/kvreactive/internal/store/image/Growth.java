package io.kvreactive.internal.store.image;

import java.util.ArrayList;
import java.util.List;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * Writes changed nodes of a tree. One that has become too large is divided into as many as it
 * takes, all at once: MapDB's own tree would halve it for each sixteenth key of a run, and leave
 * nodes half full behind. (Measured: that was half of the time to write a generation.)
 *
 * <p>New nodes are written before the one that links to them, and that before the ones above know
 * them: so a reader always finds all keys, as with MapDB's own. The thread that writes the tree.
 */
final class Growth {
  private final Store nodes;
  private final long rootRecidRecid;
  private final int maxNodeSize;

  /**
   * @param nodes where the tree is
   * @param rootRecidRecid the record that names its root
   * @param maxNodeSize keys of a node, with fences
   */
  Growth(Store nodes, long rootRecidRecid, int maxNodeSize) {
    this.nodes = nodes;
    this.rootRecidRecid = rootRecidRecid;
    this.maxNodeSize = maxNodeSize;
  }

  /**
   * Writes a node, and those that it is divided into if it is too large.
   *
   * @param finder knows what is above it
   */
  void write(long recid, Node node, LeafFinder finder) {
    if (node.keys().size() <= maxNodeSize) {
      nodes.update(recid, node, Node.FORM);
      return;
    }
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
      link = nodes.put(node.part(entries * part / parts, to, link), Node.FORM);
      added[part - 1] = link;
    }
    nodes.update(recid, node.part(0, entries / parts, link), Node.FORM);
    LeafFinder.Above above = finder.up();
    if (above == null) {
      Directory root = Directory.over(recid);
      above = new LeafFinder.Above(nodes.put(root, Node.FORM), root);
      nodes.update(rootRecidRecid, above.recid(), Serializer.RECID);
    }
    write(above.recid(), above.directory().with(fences, added), finder);
  }
}
