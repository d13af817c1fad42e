package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Deletions of ranges: of few and of many keys, stored ones and those of the same commit.
 *
 * <p>The limit is that of {@link io.kvreactive.KvLimits#maxRangeDeletions}.
 */
public abstract class DeleteRangeContract extends KvContract {
  private static final KvRange MIDDLE = KvRange.prefix("r");
  private static final KvKey BEFORE = KvKey.of("q", 1);
  private static final KvKey AFTER = KvKey.of("s", 1);
  private static final KvKey FIFTH = KvKey.of("r", 5);
  private static final KvRange NEIGHBOURS = KvRange.between(KvKey.of("q"), KvKey.of("t"));

  private void fill(int keys) {
    commit(
        c -> {
          c.set(BEFORE, "before").set(AFTER, "after").set(KvKey.of("r"), "the prefix itself");
          numbered(c, 0, keys);
        });
  }

  private static void numbered(AtomicOperation c, int from, int to) {
    for (int i = from; i < to; i++) {
      c.set(KvKey.of("r", i), i);
    }
  }

  private void expect(KvKey... present) {
    List<KvKey> all = new java.util.ArrayList<>(List.of(BEFORE, KvKey.of("r"), AFTER));
    all.addAll(List.of(present));
    all.sort(null);
    assertThat(all(kv.list(NEIGHBOURS).map(KvEntry::key))).isEqualTo(all);
    all.sort(java.util.Comparator.reverseOrder());
    assertThat(all(kv.list(NEIGHBOURS, ListOptions.DEFAULT.withReverse(true)).map(KvEntry::key)))
        .isEqualTo(all);
    assertThat(get(kv.count(MIDDLE))).isEqualTo(present.length);
    assertThat(exists(FIFTH)).isEqualTo(List.of(present).contains(FIFTH));
  }

  private void expectAlsoInTheImageAndReopened(KvKey... present) {
    expect(present);
    settle();
    expect(present);
    reopen();
    expect(present);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 256, 257, 1500})
  public void deletesSettledKeysAndKeepsTheNeighbours(int keys) {
    fill(keys);
    settle();

    get(kv.deleteRange(MIDDLE));

    expectAlsoInTheImageAndReopened();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1500})
  public void deletesFreshKeysAndKeepsTheNeighbours(int keys) {
    fill(keys);

    get(kv.deleteRange(MIDDLE));

    expectAlsoInTheImageAndReopened();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1500})
  public void deletesKeysSetBeforeAndKeepsKeysSetAfter(int keys) {
    KvKey fresh = KvKey.of("r", "fresh");
    fill(keys);
    settle();

    commit(c -> c.set(fresh, 1).set(FIFTH, 1).deleteRange(MIDDLE).set(FIFTH, "again"));

    expectAlsoInTheImageAndReopened(FIFTH);
    assertThat(value(FIFTH)).isEqualTo("again");
    assertThat(exists(fresh)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1500})
  public void sumsFromZeroAfterADeletion(int keys) {
    fill(keys);
    set(FIFTH, KvU64.of(100));
    settle();

    commit(c -> c.deleteRange(MIDDLE).sum(FIFTH, 3).sum(FIFTH, 4));

    assertThat(value(FIFTH)).isEqualTo(KvU64.of(7));
    expectAlsoInTheImageAndReopened(FIFTH);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1500})
  public void checksKeysOfADeletedRange(int keys) {
    fill(keys);
    settle();
    KvEntry<Object> fifth = get(kv.get(FIFTH));
    get(kv.deleteRange(MIDDLE));

    assertThat(get(kv.atomic().check(fifth).set(FIFTH, 1).commit()).failedChecks())
        .containsExactly(0);
    assertThat(get(kv.atomic().checkAbsent(FIFTH).set(FIFTH, 1).commit()).committed()).isTrue();
    expectAlsoInTheImageAndReopened(FIFTH);
  }

  @Test
  public void deletesARangeTwiceWithWritesInBetween() {
    fill(1500);
    settle();
    get(kv.deleteRange(MIDDLE));
    commit(c -> numbered(c, 0, 600));
    settle();
    commit(c -> numbered(c, 300, 900));

    get(kv.deleteRange(KvRange.prefixUntil(KvKey.of("r"), KvKey.of("r", 899))));

    expectAlsoInTheImageAndReopened(KvKey.of("r", 899));
  }

  @Test
  public void keepsKeysOutsideManyOverlappingDeletions() {
    fill(0);
    for (int i = 0; i < 40; i++) {
      commit(c -> numbered(c, 0, 300));
      commit(c -> c.deleteRange(KvRange.prefixFrom(KvKey.of("r"), KvKey.of("r", 1))));
    }
    expectAlsoInTheImageAndReopened(KvKey.of("r", 0));
  }

  @Test
  public void remembersTheIdOfAnOperationWithoutEffect() {
    AtomicOperation deletion = kv.atomic().deleteRange(MIDDLE).commitId("an id");
    Versionstamp first = get(deletion.commit()).versionstamp();
    set(FIFTH, 1);

    assertThat(get(deletion.commit()).versionstamp()).isEqualTo(first);

    assertThat(exists(FIFTH)).isTrue();
  }

  @Test
  public void limitsACommitToAThousandRanges() {
    fill(10);
    AtomicOperation operation = kv.atomic();
    for (int i = 0; i < 1000; i++) {
      operation.deleteRange(KvRange.between(KvKey.of("r", 5 + i % 3), KvKey.of("r", 100 + i)));
    }
    get(operation.commit());
    assertThat(get(kv.count(MIDDLE))).isEqualTo(5);

    KvException refused =
        failure(operation.deleteRange(MIDDLE).commit(), KvErrorCode.LIMIT_EXCEEDED);

    assertThat(refused).hasMessageContaining("1001").hasMessageContaining("1000");
    assertThat(get(kv.count(MIDDLE))).isEqualTo(5);
  }

  @Test
  public void deletesNothingForAnEmptyRange() {
    fill(10);

    commit(c -> c.deleteRange(KvRange.between(FIFTH, FIFTH)));

    assertThat(get(kv.count(MIDDLE))).isEqualTo(10);
  }
}
