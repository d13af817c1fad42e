package io.kvreactive.documents.internal.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class DemandGateTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<Long> requests = new CopyOnWriteArrayList<>();

  private Flux<Integer> gated(Flux<Integer> source) {
    return DemandGate.apply(
        source.doOnRequest(requests::add),
        flux -> flux.publishOn(Schedulers.parallel(), 4).concatMap(Flux::just, 1));
  }

  @Test
  void requestsNothingBeforeThereIsDemand() {
    AtomicBoolean subscribed = new AtomicBoolean();
    Flux<Integer> source = Flux.range(1, 100).hide().doOnSubscribe(s -> subscribed.set(true));
    StepVerifier.create(gated(source), 0)
        .expectSubscription()
        .then(() -> assertThat(subscribed).isTrue())
        .then(() -> assertThat(requests).isEmpty())
        .thenRequest(1)
        .expectNext(1)
        .then(() -> assertThat(requests).first().isEqualTo(4L))
        .thenRequest(Long.MAX_VALUE)
        .expectNextCount(99)
        .expectComplete()
        .verify(PATIENCE);
  }

  @Test
  void eachSubscriptionHasItsOwnGate() {
    Flux<Integer> flux = gated(Flux.range(1, 3).hide());
    StepVerifier.create(flux).expectNext(1, 2, 3).expectComplete().verify(PATIENCE);
    requests.clear();
    StepVerifier.create(flux, 0)
        .expectSubscription()
        .then(() -> assertThat(requests).isEmpty())
        .thenRequest(3)
        .expectNext(1, 2, 3)
        .expectComplete()
        .verify(PATIENCE);
  }

  @Test
  void passesEndsWithoutDemand() {
    StepVerifier.create(gated(Flux.empty()), 0).expectComplete().verify(PATIENCE);
    StepVerifier.create(gated(Flux.error(new IllegalStateException("failed"))), 0)
        .expectErrorMessage("failed")
        .verify(PATIENCE);
  }

  @Test
  void cancelsTheSourceWithAndWithoutDemand() {
    TestPublisher<Integer> idle = TestPublisher.create();
    StepVerifier.create(gated(idle.flux()), 0).thenCancel().verify(PATIENCE);
    idle.assertCancelled();
    assertThat(requests).isEmpty();

    TestPublisher<Integer> running = TestPublisher.create();
    StepVerifier.create(gated(running.flux()), 1)
        .then(() -> running.next(1))
        .expectNext(1)
        .thenCancel()
        .verify(PATIENCE);
    running.assertCancelled();
  }

  @Test
  void keepsTheOrderOfElementsForAnyDemand() {
    List<Integer> all = new ArrayList<>();
    StepVerifier.create(gated(Flux.range(0, 1000)), 7)
        .recordWith(() -> all)
        .expectNextCount(7)
        .thenRequest(500)
        .expectNextCount(500)
        .thenRequest(1000)
        .expectNextCount(493)
        .expectComplete()
        .verify(PATIENCE);
    assertThat(all).isSorted().hasSize(1000);
  }
}
