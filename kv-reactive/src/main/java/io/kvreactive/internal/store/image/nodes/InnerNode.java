package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Edit;
import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.mapdb.DataOutput2;

/**
 * An inner node. (Not a record: a record would compare its children as an array.)
 *
 * @see ImageNode
 */
final class InnerNode implements ImageNode {
  private final int flags;
  private final long link;
  private final Packed keys;
  private final long[] children;

  /**
   * Creates a node.
   *
   * @param children the recids of the children; not copied
   */
  InnerNode(int flags, long link, Packed keys, long[] children) {
    this.flags = flags;
    this.link = link;
    this.keys = keys;
    this.children = children;
  }

  /** Returns the only node of its level, above one child. */
  static InnerNode over(long child) {
    return new InnerNode(DIRECTORY | LEFT | RIGHT, 0, Packed.EMPTY, new long[] {child});
  }

  /** Returns the child for a key between its fences. */
  long child(byte[] key) {
    int found = KEYS.valueArraySearch(keys, key);
    int at = found < 0 ? -found - 1 : found; // of the first key that is at or after it
    return children[has(LEFT) ? at : at - 1];
  }

  /** Returns the node as lookups need it. */
  SearchNode prepared(long recid) {
    return new SearchNode(recid, link, keys, has(LEFT) ? 0 : 1, children);
  }

  /**
   * Returns a copy with additional children, which have taken the last part of an existing one.
   *
   * @param fences the low fence of each additional child
   */
  InnerNode with(List<byte[]> fences, long[] added) {
    int at = -KEYS.valueArraySearch(keys, fences.get(0)) - 1;
    List<Edit> edits = new ArrayList<>(fences.size());
    fences.forEach(fence -> edits.add(new Edit(at, false, fence)));
    int child = has(LEFT) ? at + 1 : at;
    long[] all = Arrays.copyOf(children, children.length + added.length);
    System.arraycopy(children, child, all, child + added.length, children.length - child);
    System.arraycopy(added, 0, all, child, added.length);
    return new InnerNode(flags, link, keys.with(edits), all);
  }

  @Override
  public int flags() {
    return flags;
  }

  @Override
  public long link() {
    return link;
  }

  @Override
  public Packed keys() {
    return keys;
  }

  @Override
  public int entries() {
    return children.length;
  }

  @Override
  public InnerNode part(int from, int to, long linkOfPart) {
    long[] some = Arrays.copyOfRange(children, from, to);
    return new InnerNode(DIRECTORY | ends(from, to), linkOfPart, keys(from, to), some);
  }

  void writeChildren(DataOutput2 out) throws IOException {
    out.packLongArray(children, 0, children.length);
  }
}
