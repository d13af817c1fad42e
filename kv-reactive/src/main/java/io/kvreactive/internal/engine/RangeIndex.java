package io.kvreactive.internal.engine;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds which of many ranges a key lies in, or another range touches, in time logarithmic in their
 * number: a balanced tree over the ranges by their starts, laid out in an array, where each node
 * knows the last end below it. Immutable.
 *
 * @param <R> what has a range
 */
final class RangeIndex<R extends RangeIndex.Ranged> {
  /** Has a range of keys. */
  interface Ranged {
    /** Inclusive. */
    byte[] start();

    /** Exclusive. */
    byte[] end();
  }

  private static final byte[] LEAST = {};

  private final List<R> ranges;
  private final byte[][] lastEnds;

  RangeIndex(Collection<? extends R> ranges) {
    Comparator<Ranged> byStart = Comparator.comparing(Ranged::start, Arrays::compareUnsigned);
    this.ranges = ranges.stream().<R>map(r -> r).sorted(byStart).toList();
    this.lastEnds = new byte[this.ranges.size()][];
    byte[] unused = build(0, this.ranges.size());
  }

  private byte[] build(int from, int to) {
    if (from == to) {
      return LEAST;
    }
    int middle = (from + to) >>> 1;
    byte[] below = later(build(from, middle), build(middle + 1, to));
    lastEnds[middle] = later(below, ranges.get(middle).end());
    return lastEnds[middle];
  }

  private static byte[] later(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }

  /** The ranges that a key lies in. */
  void containing(byte[] key, Consumer<? super R> found) {
    visit(0, ranges.size(), key, key, true, found);
  }

  /** The ranges that have keys in common with one that is not empty. */
  void overlapping(byte[] start, byte[] end, Consumer<? super R> found) {
    visit(0, ranges.size(), start, end, false, found);
  }

  /** Visits those that end after {@code start}, and start before {@code end} or with it. */
  private void visit(
      int from, int to, byte[] start, byte[] end, boolean inclusive, Consumer<? super R> found) {
    if (from == to) {
      return;
    }
    int middle = (from + to) >>> 1;
    if (Arrays.compareUnsigned(lastEnds[middle], start) <= 0) {
      return;
    }
    visit(from, middle, start, end, inclusive, found);
    R range = ranges.get(middle);
    int order = Arrays.compareUnsigned(range.start(), end);
    if (order > 0 || order == 0 && !inclusive) {
      return;
    }
    if (Arrays.compareUnsigned(range.end(), start) > 0) {
      found.accept(range);
    }
    visit(middle + 1, to, start, end, inclusive, found);
  }
}
