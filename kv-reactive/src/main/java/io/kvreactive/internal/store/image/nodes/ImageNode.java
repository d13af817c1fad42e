package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
import java.io.IOException;
import org.mapdb.DataIO;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.Serializer;

/**
 * A tree node in MapDB's format: entries between keys. The low fence precedes the first entry,
 * unless the node is the leftmost of its level; the high fence follows the last one, unless it is
 * the rightmost. A node is responsible for the keys after its low fence up to its high fence.
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

  /** Returns the node to the right; 0 for the rightmost. */
  long link();

  Packed keys();

  /** Returns the number of values or children. */
  int entries();

  /** Returns a node of some of the entries, with a link to another node. */
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

  /** Returns the key before an entry, which is the low fence of that entry. */
  default byte[] fence(int entry) {
    return KEYS.valueArrayGet(keys(), place(entry));
  }

  /** Returns the keys of some of the entries, with fences. */
  default Packed keys(int from, int to) {
    int first = from == 0 ? 0 : place(from);
    int behind = to == entries() ? keys().size() : place(to) + 1;
    return (Packed) KEYS.valueArrayCopyOfRange(keys(), first, behind);
  }

  /** Returns the flags of the ends of a node with some of the entries. */
  default int ends(int from, int to) {
    return (from == 0 ? flags() & LEFT : 0)
        | (to == entries() ? flags() & (RIGHT | HIGH_FENCE_HAS_VALUE) : 0);
  }

  private int place(int entry) {
    return has(LEFT) ? entry - 1 : entry;
  }

  /** Reads and writes nodes as MapDB's own serializer does. */
  final class Form implements Serializer<ImageNode> {
    private static final int HEAD = 16; // maximum

    private Form() {}

    @Override
    public void serialize(DataOutput2 out, ImageNode node) throws IOException {
      Packed keys = node.keys();
      int entries =
          node instanceof LeafNode leaf ? VALUES.length(leaf.values()) : 9 * node.entries();
      out.ensureAvail(HEAD + keys.length() + entries); // once, instead of repeated doubling
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
