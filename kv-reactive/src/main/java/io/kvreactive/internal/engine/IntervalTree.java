package io.kvreactive.internal.engine;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds which of many ranges a key lies in, or another range touches, in time logarithmic in their
 * number: a balanced tree over the ranges by their starts, laid out in an array, where each node
 * knows the last end below it. A search passes over what was found since {@link #startRound}, so
 * that a round of n searches among m ranges finds m at most. The ranges never change; for one
 * thread.
 *
 * @param <R> what has a range
 */
final class IntervalTree<R extends IntervalTree.Ranged> {
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
  private final int[] found; // the last round that found the range
  private final int[] allFound; // the last round that found everything below the node
  private int round;

  IntervalTree(Collection<? extends R> ranges) {
    Comparator<Ranged> byStart = Comparator.comparing(Ranged::start, Arrays::compareUnsigned);
    this.ranges = ranges.stream().<R>map(r -> r).sorted(byStart).toList();
    this.lastEnds = new byte[this.ranges.size()][];
    this.found = new int[this.ranges.size()];
    this.allFound = new int[this.ranges.size()];
    byte[] unused = build(0, this.ranges.size());
    startRound();
  }

  /** Forgets what was found. */
  void startRound() {
    round++;
  }

  /** Returns the number of ranges. */
  int size() {
    return ranges.size();
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

  /** Passes on the ranges that a key lies in. */
  void containing(byte[] key, Consumer<? super R> out) {
    visit(0, ranges.size(), key, key, true, out);
  }

  /** Passes on the ranges that have keys in common with one that is not empty. */
  void overlapping(byte[] start, byte[] end, Consumer<? super R> out) {
    visit(0, ranges.size(), start, end, false, out);
  }

  /** Visits those that end after {@code start}, and start before {@code end} or with it. */
  private void visit(
      int from, int to, byte[] start, byte[] end, boolean inclusive, Consumer<? super R> out) {
    if (from == to) {
      return;
    }
    int middle = (from + to) >>> 1;
    if (allFound[middle] == round || Arrays.compareUnsigned(lastEnds[middle], start) <= 0) {
      return;
    }
    visit(from, middle, start, end, inclusive, out);
    R range = ranges.get(middle);
    int order = Arrays.compareUnsigned(range.start(), end);
    if (order > 0 || order == 0 && !inclusive) {
      return;
    }
    if (found[middle] != round && Arrays.compareUnsigned(range.end(), start) > 0) {
      found[middle] = round;
      out.accept(range);
    }
    visit(middle + 1, to, start, end, inclusive, out);
    if (found[middle] == round && isAllFound(from, middle) && isAllFound(middle + 1, to)) {
      allFound[middle] = round;
    }
  }

  private boolean isAllFound(int from, int to) {
    return from == to || allFound[(from + to) >>> 1] == round;
  }
}
