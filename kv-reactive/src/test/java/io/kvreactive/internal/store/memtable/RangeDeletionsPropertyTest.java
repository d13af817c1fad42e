package io.kvreactive.internal.store.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Range deletions in layers give the same answers as a plain list. */
class RangeDeletionsPropertyTest {
  private static final int KEYS = 24;

  /**
   * A deletion.
   *
   * @param commit true if it belongs to a new commit
   * @param snapshot the number of versions by which the oldest reader is behind it
   */
  record Step(int from, int to, boolean commit, int snapshot) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> keys = Arbitraries.integers().between(0, KEYS);
    return Combinators.combine(
            keys, keys, Arbitraries.of(true, true, false), Arbitraries.of(0, 0, 1, 3, 100))
        .as(Step::new)
        .list()
        .ofMaxSize(60);
  }

  private static byte[] key(int n) {
    return new byte[] {(byte) n};
  }

  @Property(tries = 500)
  void answersLikeAList(@ForAll("steps") List<Step> steps) {
    RangeDeletions layers = RangeDeletions.NONE;
    List<RangeDeletion> list = new ArrayList<>();
    long version = 1;
    long oldest = 0; // no reader is older than that
    for (Step step : steps) {
      if (step.from < step.to) {
        version += step.commit ? 1 : 0;
        oldest = Math.max(oldest, version - 1 - step.snapshot);
        RangeDeletion one = new RangeDeletion(key(step.from), key(step.to), version);
        layers = layers.with(one, Math.max(0, oldest));
        list.add(one);
      }
    }
    assertThat(layers.size()).isLessThanOrEqualTo(2 * list.size());
    verify(layers, list, Math.max(0, oldest), version);
    long before = Math.max(Math.max(0, oldest), version - 1);
    List<RangeDeletion> left = list.stream().filter(d -> d.version() <= before).toList();
    RangeDeletions earlier = layers.upTo(before);
    // parts that later deletions have removed do not return
    assertThat(earlier.size()).isLessThanOrEqualTo(layers.size());
    verify(earlier, left, Math.max(0, oldest), before);
  }

  private static long newest(List<RangeDeletion> all, byte[] key, long at) {
    return all.stream()
        .filter(d -> d.version() <= at && covers(d, key))
        .mapToLong(RangeDeletion::version)
        .max()
        .orElse(0);
  }

  private static boolean covers(RangeDeletion deletion, byte[] key) {
    return Arrays.compareUnsigned(deletion.start(), key) <= 0
        && Arrays.compareUnsigned(key, deletion.end()) < 0;
  }

  private static void verify(
      RangeDeletions layers, List<RangeDeletion> list, long oldest, long newest) {
    for (int n = 0; n <= KEYS; n++) {
      byte[] key = key(n);
      for (long at = oldest; at <= newest; at++) {
        long expected = newest(list, key, at);
        assertThat(layers.newest(key, at)).isEqualTo(expected);
        byte[] end = layers.coverage(key, at, false);
        byte[] start = layers.coverage(key, at, true);
        assertThat(end != null).isEqualTo(expected != 0);
        assertThat(start != null).isEqualTo(expected != 0);
        if (end != null && start != null) {
          assertThat(end[0]).isGreaterThan((byte) n);
          assertThat(start[0]).isLessThanOrEqualTo((byte) n);
          for (byte covered = start[0]; covered < end[0]; covered++) {
            assertThat(newest(list, key(covered), at)).isPositive();
          }
        }
      }
      long last = newest(list, key, Long.MAX_VALUE);
      List<RangeDeletion> disjoint =
          layers.disjoint().stream().filter(d -> covers(d, key)).toList();
      assertThat(disjoint).hasSize(last == 0 ? 0 : 1);
      disjoint.forEach(d -> assertThat(d.version()).isEqualTo(last));
    }
  }
}
