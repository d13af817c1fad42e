package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/**
 * State watches: the first state at once, then changes of watched keys only.
 *
 * <p>States of several keys are of one version. A slow subscriber gets the newest state. Nothing is
 * queued, and watches complete when the store is closed.
 */
public abstract class WatchContract extends KvContract {
  private static final KvKey A = KvKey.of("w", "a");
  private static final KvKey B = KvKey.of("w", "b");
  private static final KvKey OTHER = KvKey.of("other");

  private static List<Object> values(List<KvEntry<Object>> entries) {
    List<Object> values = new ArrayList<>();
    entries.forEach(e -> values.add(e.value()));
    return values;
  }

  private Flux<List<Object>> states(KvKey... keys) {
    return kv.watch(List.of(keys)).map(WatchContract::values);
  }

  private static List<Object> state(@Nullable Object... values) {
    return java.util.Arrays.asList(values);
  }

  @Test
  public void emitsTheFirstStateAtOnceEvenIfAllKeysAreAbsent() {
    StepVerifier.create(states(A, B)).expectNext(state(null, null)).thenCancel().verify(TIMEOUT);
    set(B, 2);
    StepVerifier.create(states(A, B, B)).expectNext(state(null, 2, 2)).thenCancel().verify(TIMEOUT);
  }

  @Test
  public void emitsOnlyChangesOfWatchedKeys() {
    StepVerifier.create(states(A, B))
        .expectNext(state(null, null))
        .then(() -> set(A, 1))
        .expectNext(state(1, null))
        .then(() -> set(OTHER, 1))
        .then(() -> get(kv.delete(B))) // absent: nothing changes
        .then(() -> get(kv.deleteRange(KvRange.prefix("w", "b"))))
        .then(() -> commit(c -> c.set(B, 1).delete(B)))
        .then(() -> set(B, 2))
        .expectNext(state(1, 2))
        .then(() -> get(kv.delete(A)))
        .expectNext(state(null, 2))
        .then(() -> set(B, 2)) // the same value changes the stamp
        .expectNext(state(null, 2))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsAtomicChangesOfSeveralKeysTogether() {
    StepVerifier.create(states(A, B))
        .expectNext(state(null, null))
        .then(() -> commit(c -> c.set(A, 1).set(B, 1)))
        .expectNext(state(1, 1))
        .then(() -> commit(c -> c.delete(A).set(B, 2).set(OTHER, 1)))
        .expectNext(state(null, 2))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsDeletionsOfRanges() {
    set(A, 1);
    StepVerifier.create(states(A, B))
        .expectNext(state(1, null))
        .then(() -> get(kv.deleteRange(KvRange.prefix("w"))))
        .expectNext(state(null, null))
        .then(
            () ->
                commit(
                    c -> {
                      for (int i = 0; i < 400; i++) {
                        c.set(KvKey.of("w", i), i);
                      }
                      c.set(B, 7);
                    }))
        .expectNext(state(null, 7))
        .then(() -> get(kv.deleteRange(KvRange.prefix("w"))))
        .expectNext(state(null, null))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void watchesAVersionstampedKey() {
    // the stamp after this one is known, since every commit adds one
    long next = set(OTHER, 1).version() + 1;
    KvKey suffixed = KvKey.of("log", io.kvreactive.Versionstamp.of(next).toString());
    StepVerifier.create(states(suffixed))
        .expectNext(state((Object) null))
        .then(() -> commit(c -> c.setVersionstamped(KvKey.of("log"), "x")))
        .expectNext(state("x"))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void slowSubscriberGetsTheNewestState() {
    StepVerifier.create(states(A), 0)
        .then(() -> set(A, 0))
        .thenRequest(1)
        .expectNext(state(0))
        .then(
            () -> {
              for (int i = 1; i <= 50; i++) {
                set(A, i);
              }
            })
        .thenRequest(1)
        .expectNext(state(50))
        .thenRequest(5)
        .then(() -> set(A, 51))
        .expectNext(state(51))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void queuesNothingForABusySubscriberWithUnboundedDemand() throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch last = new CountDownLatch(1);
    AtomicInteger emitted = new AtomicInteger();
    Disposable watch =
        states(A)
            .subscribe(
                state -> {
                  emitted.incrementAndGet();
                  first.countDown();
                  awaitUninterruptibly(busy);
                  if (state.contains(500)) {
                    last.countDown();
                  }
                });
    assertThat(first.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    // on a Vert.x context, because the callback thread is blocked
    get(vertx.getOrCreateContext(), () -> Flux.range(1, 500).concatMap(i -> kv.set(A, i)).last());
    busy.countDown();

    assertThat(last.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    assertThat(emitted.get()).isLessThan(100);
    watch.dispose();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  public void alwaysEmitsTheLastState() {
    for (int round = 0; round < 30; round++) {
      int target = round;
      var seen = states(A).filter(state -> state.contains(target)).next().cache();
      Disposable watching = seen.subscribe();
      set(A, target);
      assertThat(get(seen)).containsExactly(target);
      watching.dispose();
    }
  }

  @Test
  public void emitsTheChangeToEachOfManyWatches() {
    List<reactor.core.publisher.Mono<Object>> seen = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      var mono =
          (i % 2 == 0 ? states(A) : states(OTHER, A))
              .filter(state -> state.contains("go"))
              .<Object>map(state -> state)
              .next()
              .cache();
      mono.subscribe();
      seen.add(mono);
    }
    set(A, "go");
    assertThat(all(Flux.merge(seen))).hasSize(300);
  }

  @Test
  public void completesWhenTheStoreCloses() {
    StepVerifier.create(states(A))
        .expectNext(state((Object) null))
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void completesWithoutDemandWhenTheStoreCloses() {
    StepVerifier.create(states(A), 0)
        .expectSubscription()
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void emitsNothingAfterCancel() {
    AtomicInteger emitted = new AtomicInteger();
    states(A).take(1).doOnNext(x -> emitted.incrementAndGet()).blockLast(TIMEOUT);
    set(A, 1);
    StepVerifier.create(states(A)).expectNext(state(1)).thenCancel().verify(TIMEOUT);

    assertThat(emitted).hasValue(1);
  }

  @Test
  public void watchOfNoKeysEmitsOneEmptyState() {
    StepVerifier.create(kv.watch(List.of(), Object.class))
        .expectNext(List.of())
        .thenCancel()
        .verify(TIMEOUT);
  }
}
