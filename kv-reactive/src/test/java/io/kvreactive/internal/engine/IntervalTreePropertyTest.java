package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Compares the tree to a search of all ranges. */
class IntervalTreePropertyTest {
  private record Range(byte[] start, byte[] end) implements IntervalTree.Ranged {
    boolean contains(byte[] key) {
      return Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
    }

    boolean overlaps(byte[] from, byte[] to) {
      return Arrays.compareUnsigned(start, to) < 0 && Arrays.compareUnsigned(from, end) < 0;
    }
  }

  private static List<Range> ranges(List<byte[]> bounds) {
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i + 1 < bounds.size(); i += 2) {
      byte[] a = bounds.get(i);
      byte[] b = bounds.get(i + 1);
      boolean inOrder = Arrays.compareUnsigned(a, b) <= 0;
      ranges.add(inOrder ? new Range(a, b) : new Range(b, a));
    }
    return ranges;
  }

  @Property
  void findsRangesContainingAKey(
      @ForAll @Size(max = 60) List<@Size(max = 2) byte[]> bounds,
      @ForAll @Size(max = 2) byte[] key) {
    List<Range> ranges = ranges(bounds);
    List<Range> found = new ArrayList<>();
    new IntervalTree<>(ranges).containing(key, found::add);
    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            ranges.stream().filter(range -> range.contains(key)).toList());
  }

  @Property
  void findsOverlappingRanges(
      @ForAll @Size(max = 60) List<@Size(max = 2) byte[]> bounds,
      @ForAll @Size(max = 2) byte[] a,
      @ForAll @Size(max = 2) byte[] b) {
    byte[] from = Arrays.compareUnsigned(a, b) <= 0 ? a : b;
    byte[] to = from == a ? b : a;
    List<Range> ranges = ranges(bounds);
    List<Range> found = new ArrayList<>();
    new IntervalTree<>(ranges).overlapping(from, to, found::add);
    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            ranges.stream().filter(range -> range.overlaps(from, to)).toList());
  }

  @Property
  void findsEachRangeOncePerRound(
      @ForAll @Size(max = 60) List<@Size(max = 2) byte[]> bounds,
      @ForAll @Size(max = 20) List<@Size(max = 2) byte[]> keys) {
    List<Range> ranges = ranges(bounds);
    IntervalTree<Range> index = new IntervalTree<>(ranges);
    for (int round = 0; round < 2; round++) {
      List<Range> found = new ArrayList<>();
      index.startRound();
      for (byte[] key : keys) {
        index.containing(key, found::add);
        index.overlapping(key, Arrays.copyOf(key, key.length + 1), found::add);
      }
      assertThat(found)
          .containsExactlyInAnyOrderElementsOf(
              ranges.stream()
                  .filter(
                      range ->
                          keys.stream()
                              .anyMatch(
                                  key ->
                                      range.contains(key)
                                          || range.overlaps(
                                              key, Arrays.copyOf(key, key.length + 1))))
                  .toList());
      if (index.isAllFound()) {
        assertThat(found).hasSameSizeAs(ranges);
      }
    }
  }
}
