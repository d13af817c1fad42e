package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.SumBounds;
import io.kvreactive.TransactionOptions;
import io.kvreactive.Versionstamp;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads, writes and conflicts of transactions.
 *
 * <p>The engine must have snapshots that keep their version, and range checks: a transaction that
 * has read a range conflicts with phantoms in it, and with the expiry of entries that were read.
 */
public abstract class TransactionContract extends KvContract {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private static final KvRange P = KvRange.prefix("p");
  private static final TransactionOptions ONCE = TransactionOptions.DEFAULT.withMaxAttempts(1);

  /** Options for many concurrent transactions, of which one commits per round. */
  private static final TransactionOptions PATIENT =
      TransactionOptions.DEFAULT.withMaxAttempts(1000);

  private static KvKey p(int i) {
    return KvKey.of("p", i);
  }

  private void fill(int count) {
    commit(c -> IntStream.range(0, count).forEach(i -> c.set(p(i), i)));
  }

  /** Runs a body once, and {@code meanwhile} between the end of the body and its commit. */
  private Mono<Boolean> conflicts(Function<KvTransaction, Mono<?>> body, Mono<?> meanwhile) {
    return kv.transact(
            tx -> body.apply(tx).then(meanwhile.then(Mono.fromRunnable(() -> tx.set(B, "done")))),
            ONCE)
        .thenReturn(false)
        .onErrorResume(
            e -> e instanceof KvException k && k.code() == KvErrorCode.CONFLICT,
            e -> Mono.just(true));
  }

  private void assertConflict(Function<KvTransaction, Mono<?>> body, Mono<?> meanwhile) {
    assertThat(get(conflicts(body, meanwhile))).isTrue();
    assertThat(exists(B)).isFalse();
  }

  private void assertNoConflict(Function<KvTransaction, Mono<?>> body, Mono<?> meanwhile) {
    assertThat(get(conflicts(body, meanwhile))).isFalse();
    assertThat(value(B)).isEqualTo("done");
  }

  private List<Integer> numbers(Flux<KvEntry<Integer>> entries) {
    return all(entries.map(KvEntry::value));
  }

  // ---- results of a body

  @Test
  public void emitsTheResultOfTheBodyAfterTheCommit() {
    int seen =
        get(kv.transact(tx -> tx.set(A, 1).set(B, 2).get(A, Integer.class).map(KvEntry::value)));
    assertThat(seen).isEqualTo(1);
    assertThat(value(A)).isEqualTo(1);
    assertThat(value(B)).isEqualTo(2);
    assertThat(get(kv.get(A)).versionstamp()).isEqualTo(get(kv.get(B)).versionstamp());
  }

  @Test
  public void commitsAndCompletesEmptyForAnEmptyBody() {
    assertThat(kv.transact(tx -> Mono.fromRunnable(() -> tx.set(A, 1))).block(TIMEOUT)).isNull();
    assertThat(value(A)).isEqualTo(1);
  }

  @Test
  public void passesTheErrorOfTheBodyAndCommitsNothing() {
    IllegalStateException mine = new IllegalStateException("mine");
    assertThatThrownBy(
            () -> kv.transact(tx -> tx.set(A, 1).get(A).then(Mono.error(mine))).block(TIMEOUT))
        .isSameAs(mine);
    assertThatThrownBy(
            () ->
                kv.transact(
                        tx -> {
                          tx.set(A, 1);
                          throw mine;
                        })
                    .block(TIMEOUT))
        .isSameAs(mine);
    assertThat(exists(A)).isFalse();
  }

  @Test
  public void doesNotRetryAConflictErrorOfTheBody() {
    for (KvErrorCode code : List.of(KvErrorCode.CONFLICT, KvErrorCode.SNAPSHOT_TOO_OLD)) {
      KvException mine = new KvException(code, "of another store");
      AtomicInteger calls = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  kv.transact(
                          tx -> {
                            calls.incrementAndGet();
                            return tx.set(A, 1).get(A).then(Mono.error(mine));
                          })
                      .block(TIMEOUT))
          .isSameAs(mine);
      assertThat(calls).hasValue(1);
      assertThatThrownBy(
              () ->
                  kv.update(
                          A,
                          Integer.class,
                          e -> {
                            calls.incrementAndGet();
                            throw mine;
                          })
                      .block(TIMEOUT))
          .isSameAs(mine);
      assertThat(calls).hasValue(2);
    }
    assertThat(exists(A)).isFalse();
  }

  @Test
  public void commitsNothingWithoutWrites() {
    Versionstamp before = set(A, 1);
    int seen = get(kv.transact(tx -> tx.get(A, Integer.class).map(KvEntry::value)));
    assertThat(seen).isEqualTo(1);
    assertThat(get(kv.get(B)).snapshot()).isEqualTo(before);
  }

  @Test
  public void rejectsCallsAfterTheEnd() {
    AtomicReference<KvTransaction> leaked = new AtomicReference<>();
    get(kv.transact(tx -> tx.set(A, 1).get(A).doOnNext(e -> leaked.set(tx))));
    KvTransaction ended = Objects.requireNonNull(leaked.get());
    assertThatThrownBy(() -> ended.set(A, 2))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CLOSED));
    failure(ended.get(A), KvErrorCode.CLOSED);
    failure(ended.getMany(List.of(A)), KvErrorCode.CLOSED);
    failure(ended.list(P), KvErrorCode.CLOSED);
    assertThat(value(A)).isEqualTo(1);
  }

  @Test
  public void commitsNothingOnCancel() {
    AtomicReference<KvTransaction> begun = new AtomicReference<>();
    // completed once the body has its subscription; a body cancelled before that ends a moment
    // later
    reactor.core.Disposable running =
        kv.transact(
                tx ->
                    Mono.fromDirect(
                        subscriber -> {
                          Mono.never().subscribe(subscriber);
                          begun.set(tx.set(A, 1));
                        }))
            .subscribe();
    while (begun.get() == null) {
      Thread.onSpinWait();
    }
    running.dispose();
    failure(begun.get().get(A), KvErrorCode.CLOSED);
    assertThat(exists(A)).isFalse();
  }

  // ---- own writes

  @Test
  public void readsItsOwnWrites() {
    fill(4);
    set(A, "old");
    get(
        kv.transact(
            tx -> {
              tx.set(A, "new").delete(p(1)).set(B, 7, Duration.ofHours(1));
              return Mono.zip(
                      tx.get(A),
                      tx.get(p(1)),
                      tx.get(B),
                      tx.getMany(List.of(p(0), A)).collectList())
                  .doOnNext(
                      read -> {
                        assertThat(read.getT1().value()).isEqualTo("new");
                        assertThat(read.getT1().versionstamp()).isEqualTo(Versionstamp.ZERO);
                        assertThat(read.getT2().exists()).isFalse();
                        assertThat(read.getT3().expireAt()).isAfter(Instant.now());
                        assertThat(read.getT4())
                            .extracting(KvEntry::value)
                            .containsExactly(0, "new");
                      });
            }));
  }

  @Test
  public void listsItsOwnWritesInEitherDirection() {
    fill(10);
    get(
        kv.transact(
            tx -> {
              tx.deleteRange(KvRange.between(p(2), p(5)))
                  .set(p(3), 33)
                  .delete(p(7))
                  .set(p(20), 20)
                  .set(p(-1), -1);
              Mono<List<Integer>> forward =
                  tx.list(P, Integer.class).map(KvEntry::value).collectList();
              Mono<List<Integer>> reverse =
                  tx.list(P, ListOptions.DEFAULT.withReverse(true).withBatchSize(2), Integer.class)
                      .map(KvEntry::value)
                      .collectList();
              Mono<List<Integer>> limited =
                  tx.list(P, ListOptions.DEFAULT.withLimit(4).withBatchSize(1), Integer.class)
                      .map(KvEntry::value)
                      .collectList();
              return Mono.zip(forward, reverse, limited, tx.count(P))
                  .doOnNext(
                      read -> {
                        assertThat(read.getT1()).containsExactly(-1, 0, 1, 33, 5, 6, 8, 9, 20);
                        assertThat(read.getT2()).containsExactly(20, 9, 8, 6, 5, 33, 1, 0, -1);
                        assertThat(read.getT3()).containsExactly(-1, 0, 1, 33);
                        assertThat(read.getT4()).isEqualTo(9);
                      });
            }));
    assertThat(numbers(kv.list(P, Integer.class))).containsExactly(-1, 0, 1, 33, 5, 6, 8, 9, 20);
  }

  @Test
  public void allowsChangesToARangeBeingListed() {
    fill(300);
    get(
        kv.transact(
            tx ->
                tx.list(P, ListOptions.DEFAULT.withBatchSize(10), Integer.class)
                    .doOnNext(e -> tx.delete(e.key()).set(p(1000 + e.required()), e.value()))
                    .count()));
    assertThat(numbers(kv.list(P, Integer.class)))
        .isEqualTo(IntStream.range(0, 300).boxed().toList());
    assertThat(get(kv.list(P, Integer.class).next()).key()).isEqualTo(p(1000));
  }

  @Test
  public void readsItsOwnArithmetic() {
    set(A, KvU64.of(5));
    set(B, BigInteger.TEN);
    get(
        kv.transact(
            tx -> {
              tx.sum(A, 3).max(A, KvU64.of(7)).sum(B, BigInteger.ONE, SumBounds.none());
              tx.sum(p(1), 4)
                  .set(p(2), KvU64.of(1))
                  .min(p(2), KvU64.of(0))
                  .deleteRange(KvRange.single(p(1)))
                  .sum(p(1), 9);
              return tx.getMany(List.of(A, B, p(1), p(2)))
                  .map(KvEntry::value)
                  .collectList()
                  .doOnNext(
                      read ->
                          assertThat(read)
                              .containsExactly(
                                  KvU64.of(8), BigInteger.valueOf(11), KvU64.of(9), KvU64.of(0)));
            }));
    assertThat(value(A)).isEqualTo(KvU64.of(8));
    assertThat(value(p(1))).isEqualTo(KvU64.of(9));
  }

  @Test
  public void failsReadAndCommitOnATypeMismatch() {
    set(A, "text");
    failure(kv.transact(tx -> tx.sum(A, 3).get(A)), KvErrorCode.TYPE_MISMATCH);
    failure(
        kv.transact(tx -> Mono.fromRunnable(() -> tx.set(B, 1).sum(A, 3))),
        KvErrorCode.TYPE_MISMATCH);
    assertThat(exists(B)).isFalse();
  }

  @Test
  public void readsItsOwnTouch() {
    set(A, "x");
    Instant at = Instant.now().plusSeconds(3600);
    get(
        kv.transact(
            tx ->
                tx.touch(A, at)
                    .touch(B, at)
                    .getMany(List.of(A, B))
                    .collectList()
                    .doOnNext(
                        read -> {
                          assertThat(read.get(0).value()).isEqualTo("x");
                          assertThat(read.get(0).expireAt()).isNotNull();
                          assertThat(read.get(1).exists()).isFalse();
                        })));
    assertThat(get(kv.get(A)).expireAt()).isNotNull();
  }

  @Test
  public void writesVersionstampedKeysWithoutReadingThemBack() {
    long seen = get(kv.transact(tx -> tx.setVersionstamped(KvKey.of("p"), 1).count(P)));
    assertThat(seen).isZero();
    assertThat(get(kv.count(P))).isEqualTo(1);
  }

  // ---- isolation

  @Test
  public void readsOneSnapshot() {
    fill(3);
    List<Object> seen =
        get(
            kv.transact(
                tx ->
                    tx.get(p(0))
                        .then(kv.set(p(0), "late"))
                        .then(kv.set(p(9), "late"))
                        .then(Mono.zip(tx.get(p(0)), tx.list(P).count()))
                        .map(read -> List.of(read.getT1().value(), read.getT2()))));
    assertThat(seen).containsExactly(0, 3L);
  }

  @Test
  public void conflictsOnAChangeOfAReadKey() {
    set(A, 1);
    assertConflict(tx -> tx.get(A), kv.set(A, 1));
    assertConflict(tx -> tx.get(A), kv.delete(A));
    assertConflict(tx -> tx.get(p(0)), kv.set(p(0), 1));
    assertConflict(tx -> tx.getMany(List.of(p(1), p(2))).then(), kv.set(p(2), 1));
    assertConflict(tx -> tx.sum(p(3), 1).get(p(3)), kv.set(p(3), KvU64.of(1)));
  }

  @Test
  public void conflictsOnPhantoms() {
    assertConflict(tx -> tx.list(P).then(), kv.set(p(5), 1)); // the prefix was empty
    fill(5);
    assertConflict(tx -> tx.list(P).then(), kv.set(p(7), 1));
    assertConflict(tx -> tx.list(P).then(), kv.delete(p(2)));
    assertConflict(tx -> tx.list(P).then(), kv.set(p(2), 2));
    assertConflict(tx -> tx.list(P).then(), kv.deleteRange(P));
    assertConflict(tx -> tx.count(P), kv.set(p(8), 1));
    ListOptions reverse = ListOptions.DEFAULT.withReverse(true);
    assertConflict(tx -> tx.list(P, reverse).then(), kv.set(p(-8), 1));
  }

  @Test
  public void conflictsOnTheDeletionOfAThousandKeysOfARange() {
    fill(1000);
    assertConflict(tx -> tx.list(P).take(3).then(), kv.deleteRange(P));
  }

  @Test
  public void conflictsOnlyWithinTheConsumedPartOfAList() {
    fill(10);
    ListOptions reverse = ListOptions.DEFAULT.withReverse(true);
    assertNoConflict(tx -> tx.list(P).take(3).then(), kv.set(p(3), "late"));
    assertConflict2(tx -> tx.list(P).take(3).then(), kv.set(p(2), "late"));
    assertNoConflict(tx -> tx.list(P, ListOptions.DEFAULT.withLimit(3)).then(), kv.delete(p(3)));
    assertConflict2(tx -> tx.list(P, ListOptions.DEFAULT.withLimit(3)).then(), kv.set(p(-1), 0));
    assertNoConflict(tx -> tx.list(P, reverse).take(2).then(), kv.set(p(7), "late"));
    assertConflict2(tx -> tx.list(P, reverse).take(2).then(), kv.set(p(8), "late"));
  }

  private void assertConflict2(Function<KvTransaction, Mono<?>> body, Mono<?> meanwhile) {
    get(kv.delete(B));
    assertConflict(body, meanwhile);
  }

  @Test
  public void doesNotConflictOnUnreadKeys() {
    fill(3);
    set(A, KvU64.of(1));
    assertNoConflict(tx -> tx.list(P).then(), kv.set(KvKey.of("q"), 1));
    assertNoConflict(tx -> Mono.fromRunnable(() -> tx.sum(A, 1)), kv.set(A, KvU64.of(10)));
    assertThat(value(A)).isEqualTo(KvU64.of(11));
    assertNoConflict(tx -> tx.set(p(0), 5).get(p(0)), kv.set(p(0), 6));
    assertNoConflict(tx -> tx.list(P).then(), kv.delete(p(77))); // which is absent
  }

  @Test
  public void conflictsOnTheExpiryOfAReadKey() {
    assertExpiryConflicts(tx -> tx.list(P).collectList().map(read -> !read.isEmpty()));
    assertExpiryConflicts(tx -> tx.get(p(1)).map(KvEntry::exists));
  }

  /** Repeats with more time if the entry expired before the read. */
  private void assertExpiryConflicts(Function<KvTransaction, Mono<Boolean>> sees) {
    Mono<?> expired = kv.get(p(1)).repeat().takeUntil(e -> !e.exists()).then();
    AtomicBoolean seen = new AtomicBoolean();
    boolean conflict = false;
    for (int millis = 300; !seen.get(); millis *= 2) {
      get(kv.delete(B));
      get(kv.set(p(1), 1, Duration.ofMillis(millis)));
      conflict = get(conflicts(tx -> sees.apply(tx).doOnNext(seen::set), expired));
    }
    assertThat(conflict).isTrue();
    assertThat(exists(B)).isFalse();
  }

  @Test
  public void losesNoUpdate() {
    int writers = 40;
    get(
        Flux.range(0, writers)
            .flatMap(
                i ->
                    kv.transact(
                        tx ->
                            tx.get(A, Integer.class)
                                .doOnNext(e -> tx.set(A, e.exists() ? e.required() + 1 : 1)),
                        PATIENT),
                writers)
            .then(Mono.just(true)));
    assertThat(value(A)).isEqualTo(writers);
  }

  /**
   * Each transaction takes one of two persons off call if the other one stays on call. They must
   * never take both off.
   */
  @Test
  public void conflictsOnWriteSkew() {
    for (int i = 0; i < 20; i++) {
      commit(c -> c.set(p(0), "on call").set(p(1), "on call"));
      get(Flux.range(0, 2).flatMap(this::leave, 2).then(Mono.just(true)));
      assertThat(all(kv.list(P).filter(e -> "on call".equals(e.value())))).hasSize(1);
    }
  }

  private Mono<Long> leave(int who) {
    return kv.transact(
        tx ->
            tx.list(P)
                .filter(e -> "on call".equals(e.value()))
                .count()
                .doOnNext(
                    left -> {
                      if (left == 2) {
                        tx.set(p(who), "off");
                      }
                    }));
  }

  @Test
  public void retriesAConflictOnANewSnapshot() {
    set(A, 1);
    AtomicInteger attempts = new AtomicInteger();
    int seen =
        get(
            kv.transact(
                tx ->
                    tx.get(A, Integer.class)
                        .delayUntil(
                            e -> attempts.getAndIncrement() == 0 ? kv.set(A, 50) : Mono.empty())
                        .doOnNext(e -> tx.set(B, e.value()))
                        .map(KvEntry::value)));
    assertThat(seen).isEqualTo(50);
    assertThat(attempts).hasValue(2);
    assertThat(value(B)).isEqualTo(50);
  }

  @Test
  public void failsWhenAttemptsAreExhausted() {
    AtomicInteger attempts = new AtomicInteger();
    KvException conflict =
        failure(
            kv.transact(
                tx -> {
                  attempts.incrementAndGet();
                  return tx.get(A).then(kv.set(A, 1)).doOnNext(e -> tx.set(B, 1));
                },
                TransactionOptions.DEFAULT.withMaxAttempts(3)),
            KvErrorCode.CONFLICT);
    assertThat(conflict.detail()).contains("\"a\"").contains("3 attempts");
    assertThat(conflict.retryable()).isTrue();
    assertThat(attempts).hasValue(3);
    assertThat(exists(B)).isFalse();
  }

  @Test
  public void signalsEveryAttemptOnTheSubscribersContext() {
    AtomicInteger attempts = new AtomicInteger();
    Context context = vertx.getOrCreateContext();
    List<Boolean> onContext = new java.util.concurrent.CopyOnWriteArrayList<>();
    Runnable look = () -> onContext.add(Vertx.currentContext() == context);
    get(
        context,
        () ->
            kv.<KvEntry<Object>>transact(
                    tx -> {
                      look.run();
                      return tx.get(A)
                          .delayUntil(
                              e -> attempts.getAndIncrement() == 0 ? kv.set(A, 50) : Mono.empty())
                          .doOnNext(
                              e -> {
                                look.run();
                                tx.set(B, 1);
                              });
                    })
                .doOnNext(e -> look.run()));
    assertThat(onContext).hasSize(5).containsOnly(true);
  }

  @Test
  public void limitsTheReadsOfAWritingTransaction() {
    kv.close().block(TIMEOUT);
    kv =
        get(
            io.kvreactive.Kv.open(
                vertx,
                options(directory).withLimits(io.kvreactive.KvLimits.DEFAULT.withMaxChecks(5))));
    List<KvKey> keys = IntStream.range(0, 6).mapToObj(TransactionContract::p).toList();
    KvException limit =
        failure(kv.transact(tx -> tx.set(A, 1).getMany(keys).then()), KvErrorCode.LIMIT_EXCEEDED);
    assertThat(limit.detail()).contains("6").contains("at most 5");
    kv.transact(tx -> tx.getMany(keys).then()).block(TIMEOUT);
    kv.transact(tx -> tx.set(A, 1).list(P).then()).block(TIMEOUT);
  }

  // ---- update

  @Test
  public void updatesAValue() {
    KvEntry<Integer> first =
        get(kv.update(A, Integer.class, e -> e.exists() ? e.required() + 1 : 1));
    KvEntry<Integer> second =
        get(kv.update(A, Integer.class, e -> e.exists() ? e.required() + 1 : 1));
    assertThat(first.value()).isEqualTo(1);
    assertThat(second.value()).isEqualTo(2);
    assertThat(get(kv.get(A)))
        .isEqualTo(new KvEntry<Object>(A, 2, second.versionstamp(), null, second.snapshot()));
  }

  @Test
  public void deletesOnAnUpdateToNull() {
    set(A, 1);
    assertThat(get(kv.update(A, Integer.class, e -> null)).exists()).isFalse();
    assertThat(exists(A)).isFalse();
    Versionstamp last = get(kv.get(A)).snapshot();
    assertThat(get(kv.update(A, Integer.class, e -> null)).exists()).isFalse();
    assertThat(get(kv.get(A)).snapshot()).isEqualTo(last);
  }

  @Test
  public void keepsTheExpiryOnUpdate() {
    get(kv.set(A, 1, Duration.ofHours(1)));
    Instant before = get(kv.get(A)).expireAt();
    assertThat(get(kv.update(A, Integer.class, e -> 2)).expireAt()).isEqualTo(before);
    assertThat(get(kv.get(A)).expireAt()).isEqualTo(before);
  }

  @Test
  public void appliesAllConcurrentUpdates() {
    get(
        Flux.range(0, 64)
            .flatMap(
                i ->
                    kv.update(
                        A,
                        KvType.of(Integer.class),
                        e -> e.exists() ? e.required() + 1 : 1,
                        PATIENT),
                64)
            .then(Mono.just(true)));
    assertThat(value(A)).isEqualTo(64);
  }
}
