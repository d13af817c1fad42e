package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.SumBounds;
import io.kvreactive.Versionstamp;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Commits: checks against the state before them, mutations in order, all or nothing.
 *
 * <p>Versionstamps ascend by one for each commit that takes one. A commit takes none if a check
 * fails, if it has no mutations, and if it only touches absent keys or deletes empty ranges.
 */
public abstract class AtomicContract extends KvContract {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private static final KvKey C = KvKey.of("c");

  @Test
  public void commitsWhenAllChecksHold() {
    Versionstamp stamp = set(A, 1);
    settle();

    CommitResult result = get(kv.atomic().check(A, stamp).checkAbsent(B).set(B, 2).commit());

    assertThat(result.committed()).isTrue();
    assertThat(result.failedChecks()).isEmpty();
    assertThat(get(kv.get(B)).versionstamp()).isEqualTo(result.versionstamp());
    assertThat(get(kv.get(A)).versionstamp()).isEqualTo(stamp);
  }

  @Test
  public void reportsAllFailedChecksAndCommitsNothing() {
    Versionstamp old = set(A, 1);
    Versionstamp now = set(A, 2);
    settle();

    CommitResult result =
        get(
            kv.atomic()
                .check(A, old) // 0: another stamp
                .check(A, now) // 1: holds
                .check(B, now) // 2: absent
                .checkAbsent(A, B) // 3: present, 4: holds
                .check(A, Versionstamp.ZERO) // 5: a stamp of no key
                .check(B, Versionstamp.ZERO) // 6: not the stamp of an absent key either
                .check(A, new Versionstamp(now.version(), 1)) // 7: another order
                .set(C, 1)
                .commit());

    assertThat(result.committed()).isFalse();
    assertThat(result.versionstamp()).isNull();
    assertThat(result.failedChecks()).containsExactly(0, 2, 3, 5, 6, 7);
    assertThat(exists(C)).isFalse();
  }

  @Test
  public void consumesNoVersionstampForFailedChecks() {
    Versionstamp before = set(A, 1);

    get(kv.atomic().checkAbsent(A).set(B, 1).commit());

    assertThat(set(B, 1).version()).isEqualTo(before.version() + 1);
  }

  @Test
  public void acceptsReadEntriesAsChecks() {
    set(A, 1);
    KvEntry<Object> a = get(kv.get(A));
    KvEntry<Object> b = get(kv.get(B));

    assertThat(get(kv.atomic().check(a, b).set(B, 2).commit()).committed()).isTrue();
    assertThat(get(kv.atomic().check(a, b).set(B, 3).commit()).failedChecks()).containsExactly(1);
  }

  @Test
  public void checksTheStateBeforeTheOperation() {
    CommitResult result = get(kv.atomic().set(A, 1).checkAbsent(A).commit());

    assertThat(result.committed()).isTrue();
  }

  @Test
  public void returnsTheNewestVersionstampForAnOperationWithoutEffects() {
    Versionstamp before = set(A, 1);

    assertThat(commit(c -> {})).isEqualTo(before);
    assertThat(commit(c -> c.check(A, before))).isEqualTo(before);
    if (deletesRanges()) { // nor contacts a remote store
      assertThat(commit(c -> c.touch(B, Duration.ofHours(1)).deleteRange(KvRange.between(B, C))))
          .isEqualTo(before);
    }
    assertThat(commit(c -> c.check(A, before).commitId("an id"))).isEqualTo(before);

    assertThat(set(A, 2).version()).isEqualTo(before.version() + 1);
    assertThat(get(kv.atomic().check(A, before).commitId("an id").commit()).failedChecks())
        .containsExactly(0);
  }

  @Test
  public void stampsAllKeysOfAnOperationAlike() {
    Versionstamp stamp = commit(c -> c.set(A, 1).set(B, 2).sum(C, 3));

    assertThat(all(kv.getMany(List.of(A, B, C))))
        .extracting(KvEntry::versionstamp)
        .containsOnly(stamp);
  }

  @Test
  public void appliesChangesInOrder() {
    set(A, KvU64.of(40));
    set(B, "stays not");
    settle();

    commit(c -> c.delete(A).sum(A, 1).sum(A, 2).set(B, 1).delete(B).delete(C).set(C, "present"));

    assertThat(value(A)).isEqualTo(KvU64.of(3));
    assertThat(exists(B)).isFalse();
    assertThat(value(C)).isEqualTo("present");
    commit(c -> c.sum(A, 1).min(A, KvU64.of(2)).max(A, KvU64.of(9)).sum(A, 1));
    assertThat(value(A)).isEqualTo(KvU64.of(10));
    commit(c -> c.sum(A, 1).set(A, "5"));
    assertThat(value(A)).isEqualTo("5");
  }

  @Test
  public void rollsEverythingBackOnAFailingChange() {
    Versionstamp before = set(A, "text");
    settle();

    var operation =
        kv.atomic()
            .set(B, 1)
            .setVersionstamped(KvKey.of("log"), 1)
            .deleteRange(KvRange.prefix())
            .delete(A)
            .set(A, BigInteger.ZERO)
            .sum(A, KvU64.of(1))
            .set(C, 1);

    failure(operation.commit(), KvErrorCode.TYPE_MISMATCH);
    assertThat(value(A)).isEqualTo("text");
    assertThat(get(kv.get(A)).versionstamp()).isEqualTo(before);
    assertThat(all(kv.list(KvRange.all()).filter(KvContract::notFiller))).hasSize(1);
    reopen();
    assertThat(all(kv.list(KvRange.all()).filter(KvContract::notFiller))).hasSize(1);
  }

  @Test
  public void isolatesAFailedOperationFromItsNeighbours() {
    set(A, BigInteger.TEN);
    SumBounds<BigInteger> bounds = SumBounds.within(null, BigInteger.TEN);
    var bad = kv.atomic().set(C, 1).sum(A, BigInteger.ONE, bounds).commit();
    var good = kv.atomic().sum(B, 1).commit();

    for (int i = 0; i < 5; i++) {
      var results =
          reactor.core.publisher.Mono.zip(
              get(good.materialize().map(s -> reactor.core.publisher.Mono.just(s))),
              bad.materialize(),
              good.materialize());
      assertThat(get(results).getT2().getThrowable()).hasMessageStartingWith("OUT_OF_RANGE");
    }

    assertThat(value(B)).isEqualTo(KvU64.of(10));
    assertThat(exists(C)).isFalse();
  }

  @Test
  public void sortsVersionstampedKeysInCommitOrder() {
    KvKey log = KvKey.of("log", 1);
    Versionstamp first = commit(c -> c.setVersionstamped(log, "first"));
    Versionstamp second =
        commit(c -> c.setVersionstamped(log, "overwritten").setVersionstamped(log, "second"));

    List<KvEntry<Object>> entries = all(kv.list(KvRange.prefix(log)));

    assertThat(entries).extracting(KvEntry::value).containsExactly("first", "second");
    assertThat(entries).extracting(KvEntry::versionstamp).containsExactly(first, second);
    assertThat(entries.get(0).key()).isEqualTo(KvKey.of("log", 1, first.toString()));
    assertThat(value(KvKey.of("log", 1, second.toString()))).isEqualTo("second");
  }

  @Test
  public void assignsDistinctVersionstampsInOrderPerCaller() {
    List<Versionstamp> stamps =
        all(reactor.core.publisher.Flux.range(0, 500).flatMap(i -> kv.set(A, i), 64));
    assertThat(stamps).hasSize(500).doesNotHaveDuplicates();
    assertThat(get(kv.get(A)).versionstamp()).isEqualTo(java.util.Collections.max(stamps));
  }

  @Test
  public void rejectsTheEmptyKeyInChecksAndChanges() {
    var operations =
        List.of(
            kv.atomic().checkAbsent(KvKey.EMPTY),
            kv.atomic().set(KvKey.EMPTY, 1),
            kv.atomic().delete(KvKey.EMPTY),
            kv.atomic().sum(KvKey.EMPTY, 1),
            kv.atomic().setVersionstamped(KvKey.EMPTY, 1));
    operations.forEach(o -> failure(o.set(A, 1).commit(), KvErrorCode.INVALID_KEY));
    failure(kv.set(KvKey.EMPTY, 1), KvErrorCode.INVALID_KEY);
    failure(kv.delete(KvKey.EMPTY), KvErrorCode.INVALID_KEY);
    assertThat(exists(A)).isFalse();
  }
}
