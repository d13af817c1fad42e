package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvRange;
import io.kvreactive.KvStats;
import io.kvreactive.QueueOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/**
 * Leases of messages: delivery, duration, extension and release.
 *
 * <p>A leased message is delivered to no other consumer while its lease lasts. The tests use leases
 * of half a second, and longer ones on a slow machine.
 */
public abstract class QueueLeaseContract extends KvContract {
  private static final Duration LEASE = Duration.ofMillis(500);
  private static final EnqueueOptions SOON =
      EnqueueOptions.DEFAULT.withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));

  /** A consumer that holds its messages without finishing them. */
  private static final class Keeper extends BaseSubscriber<KvMessage<Object>> {
    final ConcurrentLinkedQueue<KvMessage<Object>> kept = new ConcurrentLinkedQueue<>();
    private final long demand;

    Keeper(long demand) {
      this.demand = demand;
    }

    @Override
    protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
      request(demand);
    }

    @Override
    protected void hookOnNext(KvMessage<Object> message) {
      kept.add(message);
    }

    KvMessage<Object> first(int count) {
      Flux.interval(Duration.ofMillis(2)).filter(i -> kept.size() >= count).blockFirst(TIMEOUT);
      return kept.element();
    }
  }

  private Keeper keep(QueueOptions options, long demand) {
    Keeper keeper = new Keeper(demand);
    kv.queues().listen(Object.class, options).subscribe(keeper);
    return keeper;
  }

  private KvMessage<Object> next() {
    return next("");
  }

  private KvMessage<Object> next(String queue) {
    return get(kv.queues().listen(Object.class, QueueOptions.of(queue)).next());
  }

  /**
   * Expects that leases of some length are kept. If the machine stalls for longer than a lease, the
   * lease ends although it is extended in time. So a length that was too short is followed by a
   * longer one.
   */
  private static void assertKept(Predicate<Duration> kept) {
    Duration lease = LEASE;
    while (!kept.test(lease)) {
      lease = lease.multipliedBy(4);
      assertThat(lease).as("the lease that is not kept either").isLessThan(LEASE.multipliedBy(20));
    }
  }

  @Test
  public void deliversAtMostTheRequestedMessages() {
    IntStream.range(0, 20).forEach(i -> get(kv.queues().enqueue(i)));
    Keeper keeper = keep(QueueOptions.DEFAULT, 3);
    keeper.first(3);
    // the fourth is not leased: another consumer gets it
    assertThat(next().value()).isEqualTo(3);
    assertThat(keeper.kept).hasSize(3);
    keeper.request(2);
    keeper.first(5);
    keeper.cancel();
  }

  @Test
  public void limitsMessagesInFlight() {
    IntStream.range(0, 20).forEach(i -> get(kv.queues().enqueue(i)));
    Keeper keeper = keep(QueueOptions.DEFAULT.withMaxInFlight(4), Long.MAX_VALUE);
    KvMessage<Object> first = keeper.first(4);
    assertThat(next().value()).isEqualTo(4);
    assertThat(keeper.kept).hasSize(4);
    first.ack().block(TIMEOUT);
    keeper.first(5);
    Object other =
        next().value(); // any message: those returned by the last consumer arrive at any time
    assertThat(keeper.kept).hasSize(5).extracting(KvMessage::value).doesNotContain(other);
    keeper.cancel();
  }

  @Test
  public void limitsRunningHandlersToTheConcurrency() {
    IntStream.range(0, 60).forEach(i -> get(kv.queues().enqueue(i)));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    Disposable handling =
        kv.queues()
            .handle(
                Object.class,
                QueueOptions.DEFAULT,
                5,
                m ->
                    Mono.fromRunnable(
                            () -> most.accumulateAndGet(running.incrementAndGet(), Math::max))
                        .then(Mono.delay(Duration.ofMillis(3)))
                        .doOnNext(x -> running.decrementAndGet())
                        .doOnNext(x -> done.incrementAndGet()))
            .subscribe();
    Flux.interval(Duration.ofMillis(5)).filter(i -> done.get() == 60).blockFirst(TIMEOUT);
    handling.dispose();
    assertThat(most.get()).isBetween(2, 5);
  }

  @Test
  public void redeliversToAHandlerThatFailsOrThrows() {
    get(kv.queues().enqueue("x", SOON));
    List<Integer> attempts = new ArrayList<>();
    Disposable handling =
        kv.queues()
            .handle(
                String.class,
                QueueOptions.DEFAULT,
                1,
                m -> {
                  attempts.add(m.attempt());
                  if (m.attempt() == 1) {
                    throw new IllegalStateException("thrown, as the test wants");
                  }
                  return m.attempt() == 2
                      ? Mono.error(new IllegalStateException("failed, as the test wants"))
                      : kv.set(io.kvreactive.KvKey.of("done"), true);
                })
            .subscribe();
    get(kv.watch(io.kvreactive.KvKey.of("done")).filter(e -> e.exists()).next());
    handling.dispose();
    assertThat(attempts).containsExactly(1, 2, 3);
  }

  @Test
  public void returnsAndCountsEmittedMessagesOnCancel() {
    IntStream.range(0, 10).forEach(i -> get(kv.queues().enqueue(i, SOON)));
    Keeper keeper = keep(QueueOptions.DEFAULT, 5);
    KvMessage<Object> first = keeper.first(5);
    keeper.kept.stream().skip(1).findFirst().orElseThrow().ack().block(TIMEOUT);
    keeper.cancel();

    List<String> seen =
        all(
            kv.queues()
                .listen(Object.class)
                .concatMap(m -> m.ack().thenReturn(m.value() + "/" + m.attempt()))
                .take(9)
                .timeout(TIMEOUT));
    assertThat(seen)
        .containsExactlyInAnyOrder("0/2", "2/2", "3/2", "4/2", "5/1", "6/1", "7/1", "8/1", "9/1");
    failure(first.ack(), KvErrorCode.LEASE_LOST);
  }

  @Test
  public void returnsUnemittedMessagesUncountedOnCancel() {
    IntStream.range(0, 5).forEach(i -> get(kv.queues().enqueue(i, SOON)));
    kv.queues()
        .listen(Object.class)
        .subscribe(
            new BaseSubscriber<>() {
              @Override
              protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                request(5);
              }

              @Override
              protected void hookOnNext(KvMessage<Object> message) {
                cancel();
              }
            });
    Mono.delay(Duration.ofMillis(300)).block();

    List<String> seen =
        all(
            kv.queues()
                .listen(Object.class)
                .concatMap(m -> m.ack().thenReturn(m.value() + "/" + m.attempt()), 0)
                .take(5)
                .timeout(TIMEOUT));
    assertThat(seen).containsExactlyInAnyOrder("0/2", "1/1", "2/1", "3/1", "4/1");
  }

  @Test
  public void storesAFailingMessageUnderItsKeysWhenItsConsumerRetries() {
    KvKey dead = KvKey.of("dead");
    List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
    get(kv.queues().enqueue("poison", SOON.withKeysIfUndelivered(dead)));
    Disposable consumer =
        kv.queues()
            .listen(String.class)
            .flatMap(
                m -> {
                  attempts.add(m.attempt());
                  return Mono.error(new IllegalStateException("failed, as the test wants"))
                      .then(m.ack());
                })
            .retry()
            .subscribe();
    assertThat(get(kv.watch(dead).filter(e -> e.exists()).next()).value()).isEqualTo("poison");
    consumer.dispose();
    assertThat(attempts).containsExactly(1, 2, 3);
  }

  @Test
  public void completesStoppedHandlersWithoutRedelivery() {
    assertKept(this::stoppedHandlersEnd);
  }

  /** Returns true if the consumers held the leases of their messages all the time. */
  private boolean stoppedHandlersEnd(Duration lease) {
    String queue = "of " + lease;
    EnqueueOptions to = SOON.withQueue(queue);
    IntStream.range(0, 3).forEach(i -> get(kv.queues().enqueue(i, to)));
    Sinks.Empty<Void> stop = Sinks.empty();
    Sinks.Empty<Void> mayEnd = Sinks.empty();
    AtomicInteger running = new AtomicInteger();
    QueueOptions options = QueueOptions.of(queue).withLease(lease).withStopWhen(stop.asMono());
    CompletableFuture<Void> handled =
        kv.queues()
            .handle(
                Object.class,
                options,
                2,
                m ->
                    Mono.fromRunnable(running::incrementAndGet)
                        .then(mayEnd.asMono())
                        .then(kv.set(KvKey.of(queue, String.valueOf(m.value())), true)))
            .toFuture();
    Flux.interval(Duration.ofMillis(2)).filter(i -> running.get() == 2).blockFirst(TIMEOUT);
    stop.tryEmitEmpty();

    KvMessage<Object> third = next(queue);
    Mono.delay(lease.multipliedBy(2)).block();
    int ready = ready(queue);
    boolean ended = handled.isDone();
    mayEnd.tryEmitEmpty();
    Mono.fromFuture(handled).block(TIMEOUT);
    if (!third.required().equals(2) || ready > 1 || depth(queue) > 1) {
      return false; // others could have had them
    }
    assertThat(third.attempt()).isEqualTo(1);
    assertThat(ended).isFalse();
    assertThat(running).hasValue(2);
    assertThat(get(kv.count(KvRange.prefix(queue)))).isEqualTo(2);
    if (durable()) {
      reopen();
    }
    assertThat(next(queue).value()).isEqualTo(2);
    assertThat(depth(queue)).isEqualTo(1);
    return true;
  }

  private KvStats.Queue stats(String queue) {
    return get(kv.admin().stats()).queues().stream()
        .filter(q -> q.name().equals(queue))
        .findFirst()
        .orElseThrow();
  }

  private int ready(String queue) {
    return stats(queue).ready();
  }

  private long depth(String queue) {
    return stats(queue).depth();
  }

  @Test
  public void completesAStoppedConsumerAfterItsLastMessage() {
    get(kv.queues().enqueue("x"));
    Sinks.Empty<Void> stop = Sinks.empty();
    QueueOptions options = QueueOptions.DEFAULT.withStopWhen(stop.asMono());
    List<KvMessage<Object>> kept = new ArrayList<>();
    StepVerifier.create(kv.queues().listen(Object.class, options).doOnNext(kept::add))
        .expectNextCount(1)
        .then(stop::tryEmitEmpty)
        .expectNoEvent(Duration.ofMillis(50))
        .then(() -> kept.get(0).ack().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void stopsAConsumerWithoutMessagesAtOnce() {
    RuntimeException failure = new IllegalStateException("failed, as the test wants");
    for (Mono<Integer> signal : List.of(Mono.just(1), Mono.<Integer>empty(), failed(failure))) {
      QueueOptions options = QueueOptions.DEFAULT.withStopWhen(signal);
      assertThat(all(kv.queues().listen(Object.class, options).map(KvMessage::id))).isEmpty();
    }
  }

  private static Mono<Integer> failed(RuntimeException failure) {
    return Mono.error(failure);
  }

  @Test
  public void endsAStoppingConsumerOnClose() {
    get(kv.queues().enqueue("x"));
    Sinks.Empty<Void> stop = Sinks.empty();
    QueueOptions options = QueueOptions.DEFAULT.withStopWhen(stop.asMono());
    StepVerifier.create(kv.queues().listen(Object.class, options))
        .expectNextCount(1)
        .then(stop::tryEmitEmpty)
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  public void keepsTheMessageOfASlowHandlerByHeartbeat() {
    assertKept(this::heartbeatKeepsTheMessage);
  }

  private boolean heartbeatKeepsTheMessage(Duration lease) {
    String queue = "of " + lease;
    get(kv.queues().enqueue("x", EnqueueOptions.to(queue)));
    AtomicInteger deliveries = new AtomicInteger();
    Flux<String> slow =
        kv.queues()
            .listen(String.class, QueueOptions.of(queue).withLease(lease))
            .doOnNext(m -> deliveries.incrementAndGet())
            .concatMap(
                m ->
                    Mono.delay(lease.multipliedBy(2))
                        .then(m.ack())
                        .thenReturn(m.required())
                        .onErrorResume(QueueLeaseContract::isLost, e -> Mono.just("lost")));
    Flux<String> other = slow; // competes
    String first = get(Flux.merge(slow, other).next());
    if (deliveries.get() > 1) {
      return false;
    }
    assertThat(first).isEqualTo("x");
    return true;
  }

  private static boolean isLost(Throwable failure) {
    return failure instanceof KvException e && e.code() == KvErrorCode.LEASE_LOST;
  }

  @Test
  public void redeliversAMessageThatTakesTooLong() {
    get(
        kv.queues()
            .enqueue(
                "x",
                EnqueueOptions.DEFAULT.withBackoff(Collections.nCopies(8, Duration.ofMillis(1)))));
    QueueOptions options =
        QueueOptions.DEFAULT.withLease(Duration.ofSeconds(5)).withMaxProcessing(LEASE);
    Keeper keeper = keep(options.withMaxInFlight(1), Long.MAX_VALUE);
    KvMessage<Object> first = keeper.first(1);
    keeper.first(2);
    KvMessage<Object> second = keeper.kept.stream().skip(1).findFirst().orElseThrow();
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.attempt()).isEqualTo(2);
    failure(first.ack(), KvErrorCode.LEASE_LOST);
    ackInTime(keeper, second);
    keeper.cancel();
  }

  /** Acks the message, and its redelivery if the lease was lost again. */
  private static void ackInTime(Keeper keeper, KvMessage<Object> message) {
    KvMessage<Object> latest = message;
    while (!Boolean.TRUE.equals(
        latest
            .ack()
            .thenReturn(true)
            .onErrorResume(QueueLeaseContract::isLost, e -> Mono.just(false))
            .block(TIMEOUT))) {
      int next = latest.attempt() + 1;
      keeper.first(next);
      latest = keeper.kept.stream().skip(next - 1L).findFirst().orElseThrow();
    }
  }

  @Test
  public void allowsFinishingTwiceButNotDifferently() {
    get(kv.queues().enqueue("x"));
    get(kv.queues().enqueue("y"));
    Keeper keeper = keep(QueueOptions.DEFAULT, 2);
    KvMessage<Object> x = keeper.first(2);
    KvMessage<Object> y = keeper.kept.stream().skip(1).findFirst().orElseThrow();
    x.ack().block(TIMEOUT);
    x.ack().block(TIMEOUT);
    failure(x.nack(), KvErrorCode.LEASE_LOST);
    y.nack().block(TIMEOUT);
    y.nack().block(TIMEOUT);
    assertThat(failure(y.ack(), KvErrorCode.LEASE_LOST)).hasMessageContaining(y.id());
    keeper.cancel();
  }

  @Test
  public void rejectsInvalidRequests() {
    Keeper keeper = new Keeper(1);
    StepVerifier.create(kv.queues().listen(Object.class), 0)
        .thenAwait()
        .then(() -> {})
        .thenCancel()
        .verify(TIMEOUT);
    kv.queues().listen(Object.class).subscribe(keeper);
    keeper.cancel();
    get(kv.queues().enqueue("x"));
    Keeper waiting = keep(QueueOptions.DEFAULT, 1);
    failure(waiting.first(1).nack(Duration.ofSeconds(-1)), KvErrorCode.INVALID_ARGUMENT);
    failure(waiting.first(1).nack(Duration.ofDays(31)), KvErrorCode.LIMIT_EXCEEDED);
    waiting.first(1).ack().block(TIMEOUT);
    waiting.cancel();
    failure(
        kv.queues().handle(Object.class, QueueOptions.DEFAULT, 0, m -> Mono.empty()),
        KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  public void completesConsumersAndReturnsMessagesOnClose() {
    get(kv.queues().enqueue("x"));
    StepVerifier.create(kv.queues().listen(Object.class).map(KvMessage::attempt))
        .expectNext(1)
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
    if (durable()) {
      reopen();
      assertThat(next().attempt()).isEqualTo(1);
    }
  }

  @Test
  public void completesAConsumerWithoutDemandOnClose() {
    StepVerifier.create(kv.queues().listen(Object.class), 0)
        .expectSubscription()
        .then(() -> kv.close().block(TIMEOUT))
        .expectComplete()
        .verify(TIMEOUT);
  }
}
