package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Keys that expire.
 *
 * <p>From its expiry on, by the engine's clock, a key is absent for all readers and for checks, and
 * watches are notified without a commit. The engine's clock must agree with that of the tests.
 */
public abstract class ExpiryContract extends KvContract {
  private static final KvKey A = KvKey.of("e", "a");
  private static final KvKey B = KvKey.of("e", "b");
  private static final KvKey C = KvKey.of("e", "c");
  private static final KvRange ALL = KvRange.prefix("e");
  private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");

  private final Instant later = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);

  private @Nullable Instant expireAt(KvKey key) {
    return get(kv.get(key)).expireAt();
  }

  @Test
  public void returnsTheExpiryOfEntries() {
    get(kv.set(A, 1, later));
    get(kv.set(B, 1));
    commit(c -> c.set(C, 1, later.plusSeconds(1)));
    settle();
    assertThat(expireAt(A)).isEqualTo(later);
    assertThat(expireAt(B)).isNull();
    assertThat(expireAt(KvKey.of("absent"))).isNull();
    List<Instant> listed = all(kv.list(ALL)).stream().map(KvEntry::expireAt).toList();
    assertThat(listed).containsExactly(later, null, later.plusSeconds(1));
    assertThat(get(kv.watch(A).next()).expireAt()).isEqualTo(later);
    reopen();
    assertThat(all(kv.list(ALL)).stream().map(KvEntry::expireAt).toList()).isEqualTo(listed);
    assertThat(value(A)).isEqualTo(1);
  }

  @Test
  public void countsExpireInFromTheSubscription() {
    Mono<Versionstamp> set = kv.set(A, 1, Duration.ofHours(1));
    Instant before = Instant.now();
    get(set);
    assertThat(expireAt(A))
        .isBetween(before.plusSeconds(3600).minusMillis(1), Instant.now().plusSeconds(3601));
    var operation = kv.atomic().set(B, 1, Duration.ofHours(1));
    before = Instant.now();
    get(operation.commit());
    assertThat(expireAt(B)).isAfterOrEqualTo(before.plusSeconds(3600).minusMillis(1));
  }

  @Test
  public void hidesExpiredEntriesFromEveryReader() {
    set(B, "stays");
    Versionstamp stamp = get(kv.set(A, "gone", PAST));
    settle();
    assertThat(exists(A)).isFalse();
    KvEntry<Object> entry = all(kv.getMany(List.of(A, B))).get(0);
    assertThat(entry.exists()).isFalse();
    assertThat(entry.value()).isNull();
    assertThat(entry.expireAt()).isNull();
    assertThat(all(kv.list(ALL))).extracting(KvEntry::key).containsExactly(B);
    assertThat(all(kv.list(ALL, ListOptions.DEFAULT.withReverse(true)))).hasSize(1);
    assertThat(get(kv.count(ALL))).isEqualTo(1);
    assertThat(get(kv.watch(A).next()).exists()).isFalse();
    assertThat(get(kv.atomic().check(A, stamp).commit()).failedChecks()).containsExactly(0);
    commit(c -> c.checkAbsent(A).set(C, 1));
    reopen();
    assertThat(exists(A)).isFalse();
  }

  @Test
  public void restartsASumAfterExpiryWithoutExpiry() {
    get(kv.set(A, new KvU64(5), PAST));
    commit(c -> c.sum(A, 1));
    assertThat(value(A)).isEqualTo(new KvU64(1));
    get(kv.set(A, new KvU64(5), later));
    commit(c -> c.sum(A, 1));
    assertThat(value(A)).isEqualTo(new KvU64(6));
    assertThat(expireAt(A)).isNull();
    get(kv.set(A, new KvU64(5), later));
    commit(c -> c.min(A, new KvU64(9)));
    assertThat(expireAt(A)).isNull();
    commit(c -> c.set(B, new KvU64(5), PAST).sum(B, 1));
    assertThat(value(B)).isEqualTo(new KvU64(1));
  }

  @Test
  public void removesTheExpiryOnASetWithoutOne() {
    get(kv.set(A, 1, later));
    set(A, 2);
    assertThat(expireAt(A)).isNull();
    settle();
    assertThat(expireAt(A)).isNull();
  }

  @Test
  public void keepsAnEntryUntilItsExpiry() {
    int reads = 0;
    for (int millis = 300;
        reads == 0;
        millis *= 2) { // longer if storing the entry took the whole time
      Instant at = Instant.now().plusMillis(millis).truncatedTo(ChronoUnit.MILLIS);
      get(kv.set(A, 1, at));
      boolean there = true;
      while (there) {
        Instant before = Instant.now();
        there = exists(A);
        if (there) {
          assertThat(before).isBefore(at);
          reads++;
        } else {
          assertThat(Instant.now()).isAfterOrEqualTo(at);
        }
      }
    }
  }

  @Test
  public void notifiesAWatchOfExpiryWithoutACommit() {
    List<Boolean> states = List.of();
    for (int millis = 300;
        states.size() < 2;
        millis *= 2) { // longer if the key expired before the watch
      Instant at = Instant.now().plusMillis(millis);
      get(kv.set(A, 1, at));
      states =
          all(
              kv.watch(A)
                  .doOnNext(e -> assertThat(e.exists() || !Instant.now().isBefore(at)).isTrue())
                  .map(KvEntry::exists)
                  .takeUntil(exists -> !exists));
    }
    assertThat(states).containsExactly(true, false);
  }

  @Test
  public void notifiesAWatchAtAPostponedExpiry() {
    get(kv.set(A, 1, Duration.ofMinutes(30))); // must not pass before it is postponed
    StepVerifier.create(kv.watch(A))
        .expectNextMatches(KvEntry::exists)
        .then(() -> get(kv.touch(A, later)))
        .expectNextMatches(entry -> later.equals(entry.expireAt()))
        .then(() -> set(A, 2))
        .expectNextMatches(entry -> Integer.valueOf(2).equals(entry.value()))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void touchesTheExpiryAndStampButNotTheValue() {
    byte[] large = new byte[5000];
    large[4999] = 1;
    for (Object value : new Object[] {"short", large}) {
      Versionstamp set = get(kv.set(A, value, later));
      settle();
      Versionstamp touched = get(kv.touch(A, later.plusSeconds(5)));
      assertThat(touched).isGreaterThan(set);
      for (int i = 0; i < 2; i++) {
        KvEntry<Object> entry = get(kv.get(A));
        assertThat(entry.value()).isEqualTo(value);
        assertThat(entry.versionstamp()).isEqualTo(touched);
        assertThat(entry.expireAt()).isEqualTo(later.plusSeconds(5));
        reopen();
      }
      settle();
      assertThat(get(kv.get(A)).value()).isEqualTo(value);
      get(kv.touch(A, (Instant) null));
      assertThat(expireAt(A)).isNull();
      get(kv.touch(A, Duration.ofHours(2)));
      assertThat(expireAt(A)).isAfter(later);
    }
  }

  @Test
  public void ignoresATouchOfAnAbsentKey() {
    assertThat(kv.touch(A, later).blockOptional(TIMEOUT)).isEmpty();
    get(kv.set(A, 1, PAST));
    assertThat(kv.touch(A, later).blockOptional(TIMEOUT)).isEmpty();
    commit(c -> c.touch(A, later).touch(B, Duration.ofHours(1)));
    assertThat(get(kv.count(ALL))).isZero();
  }

  @Test
  public void appliesChangesOfOneCommitInOrder() {
    commit(c -> c.set(A, 1).touch(A, later).set(B, 1, later).touch(B, (Instant) null));
    assertThat(expireAt(A)).isEqualTo(later);
    assertThat(expireAt(B)).isNull();
    commit(c -> c.delete(A).touch(A, later));
    assertThat(exists(A)).isFalse();
    commit(c -> c.touch(B, later).set(B, 2));
    assertThat(expireAt(B)).isNull();
    commit(c -> c.touch(B, later).touch(B, later.plusSeconds(1)));
    assertThat(expireAt(B)).isEqualTo(later.plusSeconds(1));
    commit(c -> c.setVersionstamped(KvKey.of("log"), 1).touch(B, PAST));
    assertThat(exists(B)).isFalse();
  }

  @Test
  public void rejectsInvalidTimes() {
    failure(kv.set(A, 1, Duration.ofMillis(-1)), KvErrorCode.INVALID_ARGUMENT);
    failure(kv.set(A, 1, Duration.ofSeconds(Long.MAX_VALUE)), KvErrorCode.INVALID_ARGUMENT);
    failure(kv.set(A, 1, Instant.MAX), KvErrorCode.INVALID_ARGUMENT);
    failure(kv.touch(A, Duration.ofMillis(-1)), KvErrorCode.INVALID_ARGUMENT);
    failure(
        Mono.defer(() -> kv.atomic().set(A, 1, Duration.ofNanos(-1)).commit()),
        KvErrorCode.INVALID_ARGUMENT);
    assertThat(exists(A)).isFalse();
    get(kv.set(A, 1, Duration.ZERO));
    assertThat(exists(A)).isFalse();
    get(kv.set(A, 1, Instant.MIN.plusSeconds(1)));
    assertThat(exists(A)).isFalse();
  }

  @Test
  public void readsASnapshotAtOneTime() {
    for (int i = 0; i < 200; i++) {
      get(kv.set(KvKey.of("e", i), i, Instant.now().plusMillis(150)));
    }
    long there = get(kv.count(ALL));
    assertThat(there).isLessThanOrEqualTo(200);
    awaitAbsent(KvKey.of("e", 199));
    assertThat(get(kv.count(ALL))).isZero();
  }

  private void awaitAbsent(KvKey key) {
    StepVerifier.create(kv.watch(key).takeUntil(entry -> !entry.exists()))
        .thenConsumeWhile(entry -> true)
        .expectComplete()
        .verify(TIMEOUT);
  }
}
