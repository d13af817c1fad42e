package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
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
sealed interface ImageNode permits LeafNode, InnerNode {
  int DIRECTORY = 8;
  int LEFT = 4;
  int RIGHT = 2;
  int HIGH_FENCE_HAS_VALUE = 1;

  ImageRecord.KeyCodec KEYS = new ImageRecord.KeyCodec();
  ImageRecord.Codec VALUES = new ImageRecord.Codec();
  Form FORM = new Form();

  int flags();

  /** Returns the node to the right; 0 when it is the rightmost. */
  long link();

  Packed keys();

  /** How many values or children it has. */
  int entries();

  /** Entries from one to before another as a node of its own, which links to another. */
  ImageNode part(int from, int to, long linkOfPart);

  default boolean has(int flag) {
    return (flags() & flag) != 0;
  }

  default boolean isBehindLowFence(byte[] key) {
    return has(LEFT) || keys().compare(0, key) < 0;
  }

  default boolean isBehindHighFence(byte[] key) {
    return !has(RIGHT) && keys().compare(keys().size() - 1, key) < 0;
  }

  /** Returns the key that ends all before an entry, and that the entry begins behind. */
  default byte[] fence(int entry) {
    return KEYS.valueArrayGet(keys(), place(entry));
  }

  /** Returns the keys that some of the entries need, with fences. */
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

  /** Reads and writes nodes as MapDB's own serializer does. */
  final class Form implements Serializer<ImageNode> {
    private static final int HEAD = 16; // at most

    private Form() {}

    @Override
    public void serialize(DataOutput2 out, ImageNode node) throws IOException {
      Packed keys = node.keys();
      int entries =
          node instanceof LeafNode leaf ? VALUES.length(leaf.values()) : 9 * node.entries();
      out.ensureAvail(HEAD + keys.length() + entries); // once, not doubling up to it
      out.packInt(DataIO.parity1Set((keys.size() << 4 | node.flags()) << 1));
      if (!node.has(RIGHT)) {
        out.packLong(node.link());
      }
      KEYS.write(out, keys);
      if (node instanceof LeafNode leaf) {
        VALUES.write(out, leaf.values());
      } else if (node instanceof InnerNode inner) {
        inner.writeChildren(out);
      }
    }

    @Override
    public ImageNode deserialize(DataInput2 in, int available) throws IOException {
      int head = DataIO.parity1Get(in.unpackInt()) >>> 1;
      int flags = head & 0xF;
      int size = head >>> 4;
      long link = (flags & RIGHT) != 0 ? 0 : in.unpackLong();
      Packed keys = (Packed) KEYS.valueArrayDeserialize(in, size);
      int between = size - 1 + Integer.bitCount(flags & (LEFT | RIGHT));
      if ((flags & DIRECTORY) != 0) {
        long[] children = new long[between];
        in.unpackLongArray(children, 0, between);
        return new InnerNode(flags, link, keys, children);
      }
      int values = between - 1 + (flags & HIGH_FENCE_HAS_VALUE);
      return new LeafNode(flags, link, keys, (Packed) VALUES.valueArrayDeserialize(in, values));
    }
  }
}
