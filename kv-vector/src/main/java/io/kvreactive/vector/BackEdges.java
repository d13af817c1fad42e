package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.collections.IntArrayList;

/**
 * Edges to the nodes that a search for their own vector does not find by the edges of JVector's
 * graph: at most one to each node for a search by exact scores, and one for a search by guides. One
 * thread writes; any thread may read.
 */
final class BackEdges {
  /** The kind of an edge for searches by exact scores. */
  static final int EXACT = 0;

  /** The kind of an edge for searches by guides. */
  static final int GUIDED = 1;

  /** The end of the edges of a node. */
  static final int NONE = -1;

  private static final int KINDS = 2;

  /** Maximum number of edges from a node, so that the cost of a visit is bounded. */
  private static final int MAX_FROM_EACH = 64;

  private static final int FIRST_CAPACITY = 1024;

  private volatile Lists lists = new Lists(FIRST_CAPACITY);
  private volatile int additions;

  /**
   * The edges from each node as a linked list. The number of an edge is that of the node to which
   * it leads, multiplied by the number of kinds, plus its kind.
   *
   * @param first the first edge from each node plus 1, or 0 for none, by node
   * @param next the edge after each edge plus 1, or 0 at the end, by edge
   * @param from the node from which each edge leads plus 1, or 0 if there is no such edge, by edge
   * @param added the number of the addition of each edge, by edge
   */
  private record Lists(AtomicIntegerArray first, int[] next, int[] from, int[] added) {
    Lists(int capacity) {
      this(
          new AtomicIntegerArray(capacity),
          new int[KINDS * capacity],
          new int[KINDS * capacity],
          new int[KINDS * capacity]);
    }

    int capacity() {
      return first.length();
    }

    Lists copy(int capacity) {
      AtomicIntegerArray all = new AtomicIntegerArray(capacity);
      for (int node = 0; node < first.length(); node++) {
        all.setPlain(node, first.getPlain(node));
      }
      return new Lists(
          all,
          Arrays.copyOf(next, KINDS * capacity),
          Arrays.copyOf(from, KINDS * capacity),
          Arrays.copyOf(added, KINDS * capacity));
    }

    int count(int node) {
      int count = 0;
      for (int edge = first.getPlain(node); edge != 0; edge = next[edge - 1]) {
        count++;
      }
      return count;
    }

    void remove(int edge) {
      int node = from[edge] - 1;
      if (node == NONE) {
        return;
      }
      from[edge] = 0;
      int before = first.getPlain(node) - 1;
      if (before == edge) {
        first.setRelease(node, next[edge]);
        return;
      }
      while (next[before] != edge + 1) {
        before = next[before] - 1;
      }
      next[before] = next[edge];
    }
  }

  /**
   * Replaces the edge of a kind to a node by one from another node.
   *
   * @return false if that node has too many edges; then nothing has changed
   */
  boolean put(int from, int to, int kind) {
    Lists all = lists;
    int highest = Math.max(from, to);
    if (highest >= all.capacity()) {
      all = all.copy(Math.max(highest + 1, 2 * all.capacity()));
      lists = all;
    }
    if (all.count(from) >= MAX_FROM_EACH) {
      return false;
    }
    int edge = KINDS * to + kind;
    all.remove(edge);
    int number = additions + 1;
    all.added[edge] = number;
    all.from[edge] = from + 1;
    all.next[edge] = all.first.getPlain(from);
    all.first.setRelease(from, edge + 1);
    additions = number; // last: readers of this number see the edge
    return true;
  }

  /**
   * Removes all edges to and from a node that is no longer in the graph.
   *
   * @param targets the list to which the nodes are added to which the edges have led
   */
  void removeAll(int node, IntArrayList targets) {
    Lists all = lists;
    if (node >= all.capacity()) {
      return;
    }
    all.remove(KINDS * node + EXACT);
    all.remove(KINDS * node + GUIDED);
    for (int edge = all.first.getPlain(node); edge != 0; edge = all.first.getPlain(node)) {
      all.remove(edge - 1);
      targets.addInt((edge - 1) / KINDS);
    }
  }

  void save(DataOutput out) throws IOException {
    int[] from = lists.from;
    out.writeInt((int) Arrays.stream(from).filter(node -> node != 0).count());
    for (int edge = 0; edge < from.length; edge++) {
      if (from[edge] != 0) {
        out.writeInt(from[edge] - 1);
        out.writeInt(edge);
      }
    }
  }

  /** Reads saved edges between nodes below a limit. */
  void load(RandomAccessReader in, int limit) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      int from = in.readInt();
      int edge = in.readInt();
      int to = edge / KINDS;
      if (from < 0 || edge < 0 || Math.max(from, to) >= limit || !put(from, to, edge % KINDS)) {
        throw new IOException("edge " + edge + " from " + from + " of " + limit + " nodes");
      }
    }
  }

  /** Returns the memory in bytes. */
  long memoryBytes() {
    return (1L + 3 * KINDS) * Integer.BYTES * lists.capacity();
  }

  /** Returns the edges added so far. */
  View view() {
    Lists all = lists; // before the number, which includes all of its edges then
    return new View(all, additions);
  }

  /** The edges that had been added when the view was created. Thread-safe. */
  static final class View {
    private final Lists lists;
    private final int additions;

    private View(Lists lists, int additions) {
      this.lists = lists;
      this.additions = additions;
    }

    /** Returns the first edge from a node, or {@link #NONE}. */
    int first(int node) {
      return node < lists.capacity() ? visible(lists.first.getAcquire(node) - 1) : NONE;
    }

    /** Returns the next edge from the same node, or {@link #NONE}. */
    int next(int edge) {
      return visible(lists.next[edge] - 1);
    }

    private int visible(int first) {
      int edge = first;
      while (edge != NONE && lists.added[edge] > additions) {
        edge = lists.next[edge] - 1;
      }
      return edge;
    }

    /** Returns the node to which an edge leads. */
    int target(int edge) {
      return edge / KINDS;
    }
  }
}
