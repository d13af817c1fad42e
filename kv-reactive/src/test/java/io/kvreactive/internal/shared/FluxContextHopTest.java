package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Read-ahead of a feed while its subscriber's executor is busy. */
class FluxContextHopTest {
  private static final int MIB = 1 << 20;

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicLong requested = new AtomicLong();
  private final AtomicLong made = new AtomicLong();

  private Flux<Integer> feed(int count, long bytes) {
    return new SubscriberContext(tasks::add)
        .applyInBatches(
            Flux.range(0, count)
                .doOnRequest(requested::addAndGet)
                .doOnNext(i -> made.incrementAndGet())
                .map(i -> new Weighted<>(i, bytes)));
  }

  private void runOne() {
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
  }

  private static class Collecting extends BaseSubscriber<Integer> {
    final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    final CountDownLatch ended = new CountDownLatch(1);

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(Integer element) {
      seen.add(element);
    }

    @Override
    protected void hookOnComplete() {
      ended.countDown();
    }
  }

  private Collecting follow(int count, long bytes, long demand) {
    Collecting subscriber = new Collecting();
    feed(count, bytes).subscribe(subscriber);
    subscriber.request(demand);
    runOne(); // and then the executor is busy
    return subscriber;
  }

  private void assertAllDelivered(Collecting subscriber, int count, long mostAtATime) {
    while (!tasks.isEmpty()) {
      runOne();
      assertThat(made.get() - subscriber.seen.size()).isLessThanOrEqualTo(mostAtATime);
    }
    assertThat(subscriber.seen).isEqualTo(IntStream.range(0, count).boxed().toList());
    assertThat(subscriber.ended.getCount()).isZero();
  }

  @Test
  void buffersFewLargeElements() {
    Collecting subscriber = follow(1000, MIB, Long.MAX_VALUE);
    assertThat(requested).hasValue(1);
    assertThat(made).hasValue(1);
    assertAllDelivered(subscriber, 1000, 1);
  }

  @Test
  void deliversAnElementLargerThanTheBoundAlone() {
    Collecting subscriber = follow(10, 64L * MIB, Long.MAX_VALUE);
    assertThat(made).hasValue(1);
    assertAllDelivered(subscriber, 10, 1);
  }

  @Test
  void limitsBufferedBytes() {
    Collecting subscriber = follow(1000, MIB / 10, Long.MAX_VALUE);
    assertThat(requested).hasValue(11);
    assertAllDelivered(subscriber, 1000, 11);
  }

  @Test
  void limitsTheNumberOfSmallElements() {
    Collecting subscriber = follow(1000, 10, Long.MAX_VALUE);
    assertThat(requested).hasValue(128);
    assertAllDelivered(subscriber, 1000, 128);
  }

  @Test
  void requestsAtMostTheDemandOfTheSubscriber() {
    Collecting subscriber = follow(1000, 10, 5);
    assertThat(requested).hasValue(5);
    while (!tasks.isEmpty()) {
      runOne();
    }
    assertThat(requested).hasValue(5);
    assertThat(subscriber.seen).containsExactly(0, 1, 2, 3, 4);
    subscriber.request(2);
    while (!tasks.isEmpty()) {
      runOne();
    }
    assertThat(requested).hasValue(7);
    assertThat(subscriber.seen).hasSize(7);
  }

  @Test
  void deliversAllElementsOfAnotherThreadWithinTheBound() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      for (long demand : new long[] {1, 7, Long.MAX_VALUE}) {
        AtomicLong delivered = new AtomicLong();
        AtomicLong asked = new AtomicLong();
        AtomicLong most = new AtomicLong();
        Collecting subscriber =
            new Collecting() {
              @Override
              protected void hookOnNext(Integer element) {
                super.hookOnNext(element);
                if (delivered.incrementAndGet() % demand == 0) {
                  request(demand);
                }
              }
            };
        new SubscriberContext(executor)
            .applyInBatches(
                Flux.range(0, 100_000)
                    .publishOn(Schedulers.boundedElastic())
                    .doOnRequest(
                        n -> most.accumulateAndGet(asked.addAndGet(n) - delivered.get(), Math::max))
                    .map(i -> new Weighted<>(i, i % 3 * 50_000L)))
            .subscribe(subscriber);
        subscriber.request(demand);
        assertThat(subscriber.ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(subscriber.seen).isEqualTo(IntStream.range(0, 100_000).boxed().toList());
        assertThat(most.get()).isLessThanOrEqualTo(Math.min(demand, 128) + 1);
      }
    } finally {
      executor.shutdown();
    }
  }
}
