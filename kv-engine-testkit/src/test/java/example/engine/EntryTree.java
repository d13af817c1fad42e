package example.engine;

import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map of entries that never changes: a change returns a new tree, which shares most nodes
 * with the old one. So a tree is a snapshot. The empty tree is null.
 *
 * <p>A treap: a search tree by key, in which the priority of a node is at least that of the nodes
 * below it. Priorities are random, so the expected depth is logarithmic.
 */
record EntryTree(
    StoredEntry entry, int priority, @Nullable EntryTree left, @Nullable EntryTree right) {
  /** Two trees: the keys before a bound, and the others. */
  private record Parts(@Nullable EntryTree before, @Nullable EntryTree rest) {}

  private int compareTo(byte[] bound) {
    return Arrays.compareUnsigned(entry.key(), bound);
  }

  private EntryTree with(@Nullable EntryTree left, @Nullable EntryTree right) {
    return new EntryTree(entry, priority, left, right);
  }

  private static Parts split(@Nullable EntryTree tree, byte[] bound) {
    if (tree == null) {
      return new Parts(null, null);
    }
    if (tree.compareTo(bound) < 0) {
      Parts right = split(tree.right, bound);
      return new Parts(tree.with(tree.left, right.before), right.rest);
    }
    Parts left = split(tree.left, bound);
    return new Parts(left.before, tree.with(left.rest, tree.right));
  }

  /** Joins two trees; all keys of the first are before those of the second. */
  private static @Nullable EntryTree join(@Nullable EntryTree a, @Nullable EntryTree b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.priority >= b.priority
        ? a.with(a.left, join(a.right, b))
        : b.with(join(a, b.left), b.right);
  }

  /** Returns a tree without the keys from {@code start} (inclusive) to {@code end} (exclusive). */
  static @Nullable EntryTree without(@Nullable EntryTree tree, byte[] start, byte[] end) {
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return tree;
    }
    Parts parts = split(tree, start);
    return join(parts.before, split(parts.rest, end).rest);
  }

  /** Returns a tree without a key. */
  static @Nullable EntryTree without(@Nullable EntryTree tree, byte[] key) {
    return without(tree, key, ReadRange.point(key).end());
  }

  /** Returns a tree with an entry, which replaces that of the same key. */
  static @Nullable EntryTree with(@Nullable EntryTree tree, StoredEntry entry) {
    Parts parts = split(without(tree, entry.key()), entry.key());
    EntryTree added = new EntryTree(entry, ThreadLocalRandom.current().nextInt(), null, null);
    return join(join(parts.before, added), parts.rest);
  }

  /** Returns the entry of a key, or null. */
  static @Nullable StoredEntry get(@Nullable EntryTree tree, byte[] key) {
    EntryTree node = tree;
    while (node != null) {
      int order = node.compareTo(key);
      if (order == 0) {
        return node.entry;
      }
      node = order < 0 ? node.right : node.left;
    }
    return null;
  }

  /**
   * Passes the entries of a range to a visitor, until it returns false.
   *
   * @return false if the visitor has ended the visit
   */
  static boolean visit(
      @Nullable EntryTree tree,
      byte[] start,
      byte[] end,
      boolean reverse,
      Predicate<StoredEntry> visitor) {
    if (tree == null) {
      return true;
    }
    boolean isBefore = tree.compareTo(start) < 0;
    boolean isBehind = tree.compareTo(end) >= 0;
    EntryTree first = reverse ? tree.right : tree.left;
    EntryTree last = reverse ? tree.left : tree.right;
    boolean skipsFirst = reverse ? isBehind : isBefore;
    boolean skipsLast = reverse ? isBefore : isBehind;
    return (skipsFirst || visit(first, start, end, reverse, visitor))
        && (isBefore || isBehind || visitor.test(tree.entry))
        && (skipsLast || visit(last, start, end, reverse, visitor));
  }
}
