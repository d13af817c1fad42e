package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/**
 * Change feeds: all commits with changes, in order, from any position, and bookmarks.
 *
 * <p>The engine must keep previous values, and report expired keys without a commit of a caller. It
 * reports the deletion of 400 keys as a deletion of their range. Every commit adds one to the
 * version.
 */
public abstract class ChangesContract extends KvContract {
  private static final KvKey A = KvKey.of("c", "a");
  private static final KvKey B = KvKey.of("c", "b");
  private static final KvKey OTHER = KvKey.of("other");
  private static final KvRange RANGE = KvRange.prefix("c");
  private static final ChangesOptions OLD = ChangesOptions.DEFAULT.withOldValues(true);

  @Override
  protected KvOptions configured(KvOptions options) {
    return options.withOldValues(true);
  }

  /** Returns all changes after a version, up to the current state. */
  private List<KvCommit<Object>> since(Versionstamp since, ChangesOptions options) {
    Versionstamp end = set(KvKey.of("c", "end"), "end");
    return all(
        kv.changes(RANGE, since, options, Object.class)
            .filter(commit -> !commit.isBookmark())
            .takeUntil(commit -> commit.versionstamp().equals(end))
            .filter(commit -> !commit.versionstamp().equals(end)));
  }

  private List<KvCommit<Object>> since(Versionstamp since) {
    return since(since, ChangesOptions.DEFAULT);
  }

  private static KvChange<Object> setTo(KvKey key, Object value, @Nullable Versionstamp old) {
    return new KvChange.Set<>(key, value, null, old, null);
  }

  private Flux<KvCommit<Object>> live() {
    return kv.changes(RANGE).filter(commit -> !commit.isBookmark());
  }

  @Test
  public void emitsCommitsInOrderWithAllTheirChanges() {
    Versionstamp one = set(A, 1);
    set(OTHER, 1);
    Versionstamp two = commit(c -> c.set(B, 2).set(OTHER, 2).set(A, 3));
    Versionstamp three = commit(c -> c.delete(A).set(B, 4));

    List<KvCommit<Object>> commits = since(Versionstamp.ZERO);
    assertThat(commits).extracting(KvCommit::versionstamp).containsExactly(one, two, three);
    assertThat(commits.get(0).changes()).containsExactly(setTo(A, 1, null));
    assertThat(commits.get(1).changes()).containsExactly(setTo(A, 3, one), setTo(B, 2, null));
    assertThat(commits.get(2).changes())
        .containsExactly(new KvChange.Delete<>(A, two, null), setTo(B, 4, two));
    assertThat(commits).extracting(KvCommit::time).isSorted();
    assertThat(Duration.between(commits.get(0).time(), Instant.now()).abs())
        .isLessThan(Duration.ofMinutes(1));
  }

  @Test
  public void omitsCommitsWithoutChanges() {
    get(kv.delete(A));
    commit(c -> c.set(B, 1).delete(B));
    get(kv.deleteRange(RANGE));
    commit(c -> {});
    Versionstamp set = set(A, 1);

    assertThat(since(Versionstamp.ZERO)).extracting(KvCommit::versionstamp).containsExactly(set);
  }

  @Test
  public void emitsOnlyChangesAfterSubscription() {
    set(A, 1);
    StepVerifier.create(live().map(KvCommit::changes))
        .then(() -> set(OTHER, 2))
        .then(() -> set(B, 2))
        .expectNext(List.of(setTo(B, 2, null)))
        .then(() -> get(kv.delete(B)))
        .assertNext(changes -> assertThat(changes.get(0)).isInstanceOf(KvChange.Delete.class))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsOldValuesOnRequest() {
    Versionstamp one = set(A, 1);
    Versionstamp two = set(A, 2);
    get(kv.touch(A, Duration.ofHours(1)));
    get(kv.delete(A));

    List<KvChange<Object>> changes =
        since(Versionstamp.ZERO, OLD).stream().map(commit -> commit.changes().get(0)).toList();
    assertThat(changes.get(1)).isEqualTo(new KvChange.Set<Object>(A, 2, null, one, 1));
    KvChange.Touch<Object> touch = (KvChange.Touch<Object>) changes.get(2);
    assertThat(touch.oldVersionstamp()).isEqualTo(two);
    assertThat(touch.oldValue()).isEqualTo(2);
    assertThat(touch.expireAt()).isAfter(Instant.now().plusSeconds(3000));
    assertThat(((KvChange.Delete<Object>) changes.get(3)).oldValue()).isEqualTo(2);
    KvChange<Object> second = since(Versionstamp.ZERO).get(1).changes().get(0);
    assertThat(second).isEqualTo(setTo(A, 2, one));
  }

  @Test
  public void emitsExpiryAsAChange() {
    StepVerifier.create(kv.changes(RANGE, null, OLD, Object.class).filter(c -> !c.isBookmark()))
        .then(() -> get(kv.set(A, 1, Duration.ofMillis(150))))
        .assertNext(
            commit -> {
              KvChange.Set<Object> set = (KvChange.Set<Object>) commit.changes().get(0);
              assertThat(set.expireAt()).isNotNull();
            })
        .assertNext(
            commit -> {
              KvChange.Expire<Object> expire = (KvChange.Expire<Object>) commit.changes().get(0);
              assertThat(expire.key()).isEqualTo(A);
              assertThat(expire.oldVersionstamp()).isNotNull();
              assertThat(expire.oldValue()).isEqualTo(1);
            })
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsTheExpiryOfADeletedExpiredKey() {
    get(kv.set(A, 1, Instant.ofEpochMilli(1)));
    get(kv.delete(A)); // before or after it has been swept
    List<KvCommit<Object>> commits = since(Versionstamp.ZERO);
    assertThat(commits).hasSize(2);
    assertThat(commits.get(1).changes().get(0)).isInstanceOf(KvChange.Expire.class);
  }

  @Test
  public void emitsALargeDeletedRangeAsOneChangeCutToTheRange() {
    commit(
        c -> {
          for (int i = 0; i < 400; i++) {
            c.set(KvKey.of("c", i), i);
          }
        });
    get(kv.deleteRange(KvRange.all()));
    List<KvCommit<Object>> commits = since(Versionstamp.ZERO);
    assertThat(commits.get(0).changes()).hasSize(400);
    assertThat(commits.get(1).changes())
        .containsExactly(
            new KvChange.DeleteRange<>(KvRange.ofEncoded(RANGE.startBytes(), RANGE.endBytes())));
  }

  @Test
  public void omitsTheDeletionOfAKeyInADeletedRange() {
    commit(
        c -> {
          for (int i = 0; i < 400; i++) {
            c.set(KvKey.of("c", i), i);
          }
        });
    commit(c -> c.deleteRange(RANGE).delete(KvKey.of("c", 7)).set(KvKey.of("c", 8), "again"));
    List<KvChange<Object>> changes = since(Versionstamp.ZERO).get(1).changes();
    assertThat(changes).hasSize(2);
    assertThat(changes.get(0)).isInstanceOf(KvChange.DeleteRange.class);
    assertThat(changes.get(1)).isInstanceOf(KvChange.Set.class);
  }

  @Test
  public void resumesFromEveryVersionAlsoAcrossImagesAndRestarts() {
    List<Versionstamp> stamps = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      stamps.add(set(A, i));
      if (i % 10 == 9) {
        settle();
        reopen();
      }
    }
    for (int from = 0; from <= 30; from++) {
      Versionstamp since = from == 0 ? Versionstamp.ZERO : stamps.get(from - 1);
      // a bookmark may be in between after a delay
      assertThat(all(kv.changes(RANGE, since).filter(c -> !c.isBookmark()).take(30 - from)))
          .extracting(KvCommit::versionstamp)
          .isEqualTo(stamps.subList(from, 30));
    }
  }

  @Test
  public void emitsExactlyTheDemand() {
    for (int i = 0; i < 10; i++) {
      set(A, i);
    }
    AtomicInteger emitted = new AtomicInteger();
    StepVerifier.create(
            kv.changes(RANGE, Versionstamp.ZERO).doOnNext(c -> emitted.incrementAndGet()), 3)
        .expectNextCount(3)
        .then(() -> set(A, 10))
        .expectNoEvent(Duration.ofMillis(50))
        .thenRequest(8)
        .expectNextCount(8)
        .thenCancel()
        .verify(TIMEOUT);
    assertThat(emitted).hasValue(11);
  }

  @Test
  public void emitsEverythingToSubscribersOfAnyPace() {
    int commits = tries(800, 2000);
    List<reactor.core.publisher.Mono<List<Object>>> followers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int rate = 1 + i * 7;
      var follower =
          kv.changes(RANGE, Versionstamp.ZERO)
              .limitRate(rate)
              .filter(commit -> !commit.isBookmark())
              .map(ChangesContract::onlyValue)
              .take(commits)
              .collectList()
              .cache();
      follower.subscribe();
      followers.add(follower);
    }
    Flux.range(0, commits).flatMapSequential(i -> kv.set(A, i), 64).blockLast(TIMEOUT);
    List<Object> expected = new ArrayList<>();
    for (KvCommit<Object> commit :
        all(kv.changes(RANGE, Versionstamp.ZERO).filter(c -> !c.isBookmark()).take(commits))) {
      expected.add(onlyValue(commit));
    }
    assertThat(expected).doesNotHaveDuplicates();
    for (List<Object> seen : all(Flux.merge(followers))) {
      assertThat(seen).isEqualTo(expected);
    }
  }

  private static @Nullable Object onlyValue(KvCommit<Object> commit) {
    return ((KvChange.Set<Object>) commit.changes().get(0)).value();
  }

  @Test
  public void emitsTheFirstBookmarkWhenCaughtUp() {
    Versionstamp now = set(OTHER, 1);
    StepVerifier.create(kv.changes(RANGE))
        .assertNext(
            commit -> {
              assertThat(commit.isBookmark()).isTrue();
              assertThat(commit.versionstamp()).isEqualTo(now);
            })
        .thenCancel()
        .verify(TIMEOUT);
    StepVerifier.create(kv.changes(RANGE, Versionstamp.ZERO).map(KvCommit::versionstamp))
        .expectNext(now)
        .thenCancel()
        .verify(TIMEOUT);
    StepVerifier.create(kv.changes(RANGE, now))
        .expectSubscription()
        .expectNoEvent(Duration.ofMillis(50))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void advancesAFeedWithoutMatchesByBookmarks() {
    Versionstamp start = set(A, 1);
    ChangesOptions often = ChangesOptions.DEFAULT.withBookmarkInterval(Duration.ofMillis(40));
    // known beforehand, since every commit adds one: a bookmark may come before its commit answers
    Versionstamp first = Versionstamp.of(start.version() + 1);
    Versionstamp second = Versionstamp.of(start.version() + 2);
    StepVerifier.create(kv.changes(RANGE, start, often, Object.class))
        .then(() -> set(OTHER, 1))
        .assertNext(
            commit -> {
              assertThat(commit.isBookmark()).isTrue();
              assertThat(commit.versionstamp()).isEqualTo(first);
            })
        .expectNoEvent(Duration.ofMillis(120)) // nothing new to emit
        .then(() -> set(OTHER, 2))
        .assertNext(commit -> assertThat(commit.versionstamp()).isEqualTo(second))
        .then(() -> set(A, 2))
        .assertNext(commit -> assertThat(commit.changes()).hasSize(1))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void rejectsAStartInTheFuture() {
    Versionstamp newest = set(A, 1);
    Versionstamp later = Versionstamp.of(newest.version() + 1);
    assertThat(failure(kv.changes(RANGE, later), KvErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining("since: " + later);
  }

  @Test
  public void reportsUnreadableValues() {
    set(A, "text");
    assertThat(
            failure(
                kv.changes(RANGE, Versionstamp.ZERO, KvU64.class), KvErrorCode.UNREADABLE_VALUE))
        .hasMessageContaining("value of [\"c\", \"a\"]");
  }

  @Test
  public void emitsACommitLargerThanAStepAsOneElement() {
    AtomicOperation large = kv.atomic();
    for (int i = 0; i < 12; i++) {
      large.set(KvKey.of("c", i), new byte[60_000]);
    }
    get(large.commit());
    settle();
    reopen();
    assertThat(since(Versionstamp.ZERO)).hasSize(1);
    assertThat(since(Versionstamp.ZERO).get(0).changes()).hasSize(12);
  }

  @Test
  public void cancelledFeedEmitsNoMore() {
    AtomicInteger emitted = new AtomicInteger();
    StepVerifier.create(live().doOnNext(x -> emitted.incrementAndGet()))
        .then(() -> set(A, 1))
        .expectNextCount(1)
        .thenCancel()
        .verify(TIMEOUT);
    StepVerifier.create(live())
        .then(() -> set(A, 2))
        .expectNextCount(1)
        .thenCancel()
        .verify(TIMEOUT);
    assertThat(emitted).hasValue(1);
  }

  @Test
  public void feedsCompleteWhenTheStoreCloses() {
    StepVerifier.create(kv.changes(RANGE))
        .expectNextCount(1)
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void feedsWithoutDemandCompleteWhenTheStoreCloses() {
    StepVerifier.create(kv.changes(RANGE), 0)
        .expectSubscription()
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsTheChangeToEachOfManyFollowers() {
    List<reactor.core.publisher.Mono<KvCommit<Object>>> seen = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      KvRange range = i % 3 == 0 ? RANGE : i % 3 == 1 ? KvRange.single(A) : KvRange.all();
      var mono = kv.changes(range).filter(commit -> !commit.isBookmark()).next().cache();
      mono.subscribe();
      seen.add(mono);
    }
    Versionstamp stamp = set(A, "go");
    assertThat(all(Flux.merge(seen)))
        .hasSize(300)
        .allSatisfy(commit -> assertThat(commit.versionstamp()).isEqualTo(stamp));
  }
}
