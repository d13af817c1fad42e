package io.kvreactive.internal.engine;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * A static interval tree: finds the ranges that contain a key or overlap another range, in time
 * logarithmic in their number. A balanced tree over the ranges by their starts, laid out in an
 * array, in which each node has the last end below it. A search skips the ranges found since {@link
 * #startRound}, so a round of n searches among m ranges finds at most m. Not thread-safe.
 *
 * @param <R> the type of the ranges
 */
final class IntervalTree<R extends IntervalTree.Ranged> {
  /** A range of keys. */
  interface Ranged {
    /** Returns the inclusive start. */
    byte[] start();

    /** Returns the exclusive end. */
    byte[] end();
  }

  private static final byte[] LEAST = {};

  private final List<R> ranges;
  private final byte[][] lastEnds;
  private final int[] found; // last round in which the range was found
  private final int[] allFound; // last round in which all ranges below the node were found
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

  /** Starts a round, in which every range can be found again. */
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

  /** Passes the ranges that contain a key to a consumer. */
  void containing(byte[] key, Consumer<? super R> out) {
    visit(0, ranges.size(), key, key, true, out);
  }

  /** Passes the ranges that overlap a non-empty range to a consumer. */
  void overlapping(byte[] start, byte[] end, Consumer<? super R> out) {
    visit(0, ranges.size(), start, end, false, out);
  }

  /**
   * Visits the ranges that end after {@code start} and start before {@code end}, or at it if
   * inclusive.
   */
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

  /** Returns true if this round has found all ranges, so that no search can find another one. */
  boolean isAllFound() {
    return isAllFound(0, ranges.size());
  }

  private boolean isAllFound(int from, int to) {
    return from == to || allFound[(from + to) >>> 1] == round;
  }
}
