package io.kvreactive.internal.store.memtable;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A B+ tree from keys to their newest versions, for one writer and any number of readers. A leaf is
 * replaced when a key is added or removed; a newer version of a key is set in place. A branch is
 * replaced when a child is split. So readers need no lock, and see all keys that were present when
 * they began. Compared with a skip list, it follows fewer pointers per comparison and has fewer
 * objects.
 */
final class KeyTree {
  private static final int MAX_KEYS = 32;
  private static final int MAX_CHILDREN = 64;

  /** Maximum height: more than two thousand million keys need. */
  private static final int MAX_LEVELS = 16;

  private final AtomicInteger size = new AtomicInteger();
  private final MemtableBranch[] path = new MemtableBranch[MAX_LEVELS];
  private final int[] places = new int[MAX_LEVELS];
  private volatile MemtableNode root = MemtableLeaf.EMPTY;

  /** Returns the number of keys. */
  int size() {
    return size.get();
  }

  /** Returns the newest version of a key, or null if there is none. */
  @Nullable VersionedValue get(byte[] key) {
    MemtableLeaf leaf = leafOf(key);
    int at = leaf.indexOf(key);
    return at < 0 ? null : leaf.newest(at);
  }

  private MemtableLeaf leafOf(byte[] key) {
    MemtableNode node = root;
    while (node instanceof MemtableBranch branch) {
      node = branch.child(branch.placeOf(key));
    }
    return (MemtableLeaf) node;
  }

  /**
   * Adds a newer version of a key.
   *
   * @return the previous newest version, or null if there was none
   */
  @Nullable VersionedValue put(byte[] key, VersionedValue state) {
    int level = descend(key);
    MemtableLeaf leaf = leafAt(level);
    int at = leaf.find(key);
    if (at >= 0) {
      VersionedValue before = leaf.newest(at);
      state.setOlder(before);
      leaf.set(at, state);
      return before;
    }
    size.lazySet(size.getPlain() + 1);
    MemtableLeaf more = leaf.with(-at - 1, key, state);
    if (more.size() <= MAX_KEYS) {
      replace(level, more);
    } else {
      // ascending insertions fill their leaves
      int middle = -at - 1 == leaf.size() ? leaf.size() : more.size() / 2;
      split(level, more.part(0, middle), more.part(middle, more.size()), more.key(middle));
    }
    return null;
  }

  /** Resets the newest version of a present key; null removes the key. */
  void reset(byte[] key, @Nullable VersionedValue state) {
    int level = descend(key);
    MemtableLeaf leaf = leafAt(level);
    int at = leaf.find(key);
    if (at >= 0 && state != null) {
      state.dropNewer();
      leaf.set(at, state);
    } else if (at >= 0) {
      size.lazySet(size.getPlain() - 1);
      replace(level, leaf.without(at)); // may leave an empty leaf
    }
  }

  /** Records the path to the leaf of a key, and returns its length. */
  private int descend(byte[] key) {
    int level = 0;
    MemtableNode node = root;
    while (node instanceof MemtableBranch branch) {
      path[level] = branch;
      places[level] = branch.placeOf(key);
      node = branch.child(places[level++]);
    }
    return level;
  }

  private MemtableLeaf leafAt(int level) {
    return (MemtableLeaf) (level == 0 ? root : path[level - 1].child(places[level - 1]));
  }

  private void replace(int level, MemtableNode by) {
    if (level == 0) {
      root = by;
    } else {
      path[level - 1].set(places[level - 1], by);
    }
  }

  private void split(int from, MemtableNode left, MemtableNode right, byte[] low) {
    int level = from;
    MemtableNode one = left;
    MemtableNode other = right;
    byte[] between = low;
    while (level > 0) {
      MemtableBranch more = path[level - 1].split(places[level - 1], one, other, between);
      level--;
      if (more.size() <= MAX_CHILDREN) {
        replace(level, more);
        return;
      }
      int middle = more.size() / 2;
      one = more.part(0, middle);
      other = more.part(middle, more.size());
      between = more.low(middle);
    }
    root = new MemtableBranch(one, between, other);
  }

  /** Returns all keys with their newest versions, ascending. */
  Iterator<Map.Entry<byte[], VersionedValue>> all() {
    return new Ascending(new byte[0], null);
  }

  /**
   * Returns the keys of a range with their newest versions. Keys that are added meanwhile may be
   * missing.
   *
   * @param start the inclusive start
   * @param end the exclusive end
   */
  Iterator<Map.Entry<byte[], VersionedValue>> range(byte[] start, byte[] end, boolean reverse) {
    return reverse ? new Descending(start, end) : new Ascending(start, end);
  }

  /**
   * An iterator from leaf to leaf by their bounds, which remain valid when leaves are split
   * meanwhile.
   */
  private abstract static class Walk implements Iterator<Map.Entry<byte[], VersionedValue>> {
    MemtableLeaf leaf = MemtableLeaf.EMPTY;
    int at;

    /**
     * Returns true if {@link #at} is the position of an element, after moving to another leaf if
     * necessary.
     */
    abstract boolean find();

    abstract void step();

    @Override
    public final boolean hasNext() {
      return find();
    }

    @Override
    public final Map.Entry<byte[], VersionedValue> next() {
      if (!find()) {
        throw new NoSuchElementException();
      }
      Map.Entry<byte[], VersionedValue> next = Map.entry(leaf.key(at), leaf.newest(at));
      step();
      return next;
    }
  }

  private final class Ascending extends Walk {
    private final byte @Nullable [] end;
    private byte @Nullable [] next; // low bound of the next leaf, or null

    Ascending(byte[] start, byte @Nullable [] end) {
      this.end = end;
      open(start);
    }

    private void open(byte[] key) {
      next = null;
      MemtableNode node = root;
      while (node instanceof MemtableBranch branch) {
        int place = branch.placeOf(key);
        if (place + 1 < branch.size()) {
          next = branch.low(place + 1);
        }
        node = branch.child(place);
      }
      leaf = (MemtableLeaf) node;
      at = leaf.ceiling(key);
    }

    @Override
    boolean find() {
      while (at >= leaf.size()) {
        if (next == null) {
          return false;
        }
        open(next);
      }
      return end == null || Arrays.compareUnsigned(leaf.key(at), end) < 0;
    }

    @Override
    void step() {
      at++;
    }
  }

  private final class Descending extends Walk {
    private final byte[] start;
    private byte @Nullable [] low; // low bound of this leaf; null for the first

    Descending(byte[] start, byte[] end) {
      this.start = start;
      open(end);
    }

    private void open(byte[] before) {
      low = null;
      MemtableNode node = root;
      while (node instanceof MemtableBranch branch) {
        int place = branch.placeBefore(before);
        if (place > 0) {
          low = branch.low(place);
        }
        node = branch.child(place);
      }
      leaf = (MemtableLeaf) node;
      at = leaf.ceiling(before) - 1;
    }

    @Override
    boolean find() {
      while (at < 0) {
        if (low == null) {
          return false;
        }
        open(low);
      }
      return Arrays.compareUnsigned(leaf.key(at), start) >= 0;
    }

    @Override
    void step() {
      at--;
    }
  }
}
