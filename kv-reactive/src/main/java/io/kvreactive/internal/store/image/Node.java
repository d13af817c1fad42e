package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.image.PackedArrays.Packed;
import java.io.IOException;
import org.mapdb.DataIO;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.Serializer;

/**
 * A node as MapDB lays it out: entries between keys. Before the first entry comes the low fence,
 * unless the node is the leftmost of its level, and behind the last one the high fence, unless it
 * is the rightmost. What a node is for lies behind its low fence up to its high fence.
 */
sealed interface Node permits Leaf, Directory {
  int DIRECTORY = 8;
  int LEFT = 4;
  int RIGHT = 2;
  int HIGH_FENCE_HAS_VALUE = 1;

  ImageRecord.KeyCodec KEYS = new ImageRecord.KeyCodec();
  Form FORM = new Form();

  int flags();

  /** The node to the right; 0 when it is the rightmost. */
  long link();

  Packed keys();

  /** How many values or children it has. */
  int entries();

  /** Entries from one to before another as a node of its own, before the one that it links to. */
  Node part(int from, int to, long rightOf);

  /** Writes the entries, which end a record. */
  void writeEntries(DataOutput2 out) throws IOException;

  default boolean has(int flag) {
    return (flags() & flag) != 0;
  }

  /** The key that ends all before an entry, and that the entry begins behind. */
  default byte[] fence(int entry) {
    return KEYS.valueArrayGet(keys(), place(entry));
  }

  /** The keys that some of the entries need, with fences. */
  default Packed keys(int from, int to) {
    int first = from == 0 ? 0 : place(from);
    int behind = to == entries() ? keys().size() : place(to) + 1;
    return (Packed) KEYS.valueArrayCopyOfRange(keys(), first, behind);
  }

  /** What some of the entries have of the flags about a node's ends. */
  default int ends(int from, int to) {
    return (from == 0 ? flags() & LEFT : 0)
        | (to == entries() ? flags() & (RIGHT | HIGH_FENCE_HAS_VALUE) : 0);
  }

  private int place(int entry) {
    return has(LEFT) ? entry - 1 : entry;
  }

  /** Writes nodes. Leaves are read by those who look for them. */
  final class Form implements Serializer<Node> {
    private Form() {}

    @Override
    public void serialize(DataOutput2 out, Node node) throws IOException {
      out.packInt(DataIO.parity1Set((node.keys().size() << 4 | node.flags()) << 1));
      if (!node.has(RIGHT)) {
        out.packLong(node.link());
      }
      KEYS.valueArraySerialize(out, node.keys());
      node.writeEntries(out);
    }

    @Override
    public Node deserialize(DataInput2 in, int available) {
      throw new UnsupportedOperationException("for writing");
    }
  }
}
