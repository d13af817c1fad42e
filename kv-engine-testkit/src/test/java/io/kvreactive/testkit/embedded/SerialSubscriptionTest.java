package io.kvreactive.testkit.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.internal.shared.PagedFlux;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.spi.SerialSubscription;
import io.kvreactive.testkit.TckVerification;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Demand, serialized work and the end of subscriptions, by the compatibility kit and by hand. */
class SerialSubscriptionTest {
  private static final ExecutorService THREAD =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "serial-subscription");
            thread.setDaemon(true);
            return thread;
          });

  @AfterAll
  static void close() {
    THREAD.shutdown();
  }

  /** The numbers from 0. */
  private static final class Numbers extends SerialSubscription<Long> {
    private final long count;
    private final boolean yields;
    private final @Nullable RuntimeException failure;
    private long next;
    int steps;
    int releases;

    Numbers(
        CoreSubscriber<? super Long> subscriber,
        Executor executor,
        long count,
        boolean yields,
        @Nullable RuntimeException failure) {
      super(subscriber, executor);
      this.count = count;
      this.yields = yields;
      this.failure = failure;
    }

    long demand() {
      return requested();
    }

    void start() {
      subscribe();
      wake(); // an empty sequence ends without demand
    }

    @Override
    protected boolean yields() {
      return yields;
    }

    @Override
    protected void step() {
      steps++;
      while (next < count && requested() > 0 && !isEnding()) {
        emit(next++);
      }
      if (next == count && !isEnding()) {
        terminate(failure);
      }
    }

    @Override
    protected void release() {
      releases++;
    }
  }

  /** The numbers from 0 in pages. */
  private static final class NumberPages implements Pages<Long> {
    private final long count;
    private final boolean onExecutor;
    private long next;
    private volatile boolean done;

    NumberPages(long count, boolean onExecutor) {
      this.count = count;
      this.onExecutor = onExecutor;
    }

    @Override
    public Mono<List<Long>> next(long wanted) {
      if (onExecutor) {
        return Mono.just(page(wanted));
      }
      return Mono.fromSupplier(() -> page(wanted)).subscribeOn(Schedulers.parallel());
    }

    private List<Long> page(long wanted) {
      long end = Math.min(next + Math.min(wanted, 7), count);
      List<Long> page = LongStream.range(next, end).boxed().toList();
      next = end;
      done = end == count;
      return page;
    }

    @Override
    public boolean done() {
      return done;
    }

    @Override
    public boolean areMadeOnExecutor() {
      return onExecutor;
    }

    @Override
    public void close() {}
  }

  /**
   * Wraps a subscriber of the kit as a subscriber of Reactor's kind, so that Reactor does not add
   * its own protocol checks.
   */
  private record Unchecked<T>(Subscriber<? super T> subscriber) implements CoreSubscriber<T> {
    Unchecked {
      Objects.requireNonNull(subscriber);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscriber.onSubscribe(subscription);
    }

    @Override
    public void onNext(T element) {
      subscriber.onNext(element);
    }

    @Override
    public void onError(Throwable error) {
      subscriber.onError(error);
    }

    @Override
    public void onComplete() {
      subscriber.onComplete();
    }
  }

  private static final class NumbersVerification extends TckVerification<Long> {
    private final Executor executor;
    private final boolean yields;

    NumbersVerification(Executor executor, boolean yields) {
      this.executor = executor;
      this.yields = yields;
    }

    private Publisher<Long> publisher(long count, @Nullable RuntimeException failure) {
      return subscriber ->
          new Numbers(new Unchecked<>(subscriber), executor, count, yields, failure).start();
    }

    @Override
    public long maxElementsFromPublisher() {
      return Long.MAX_VALUE - 1;
    }

    @Override
    public Publisher<Long> createPublisher(long elements) {
      return publisher(elements, null);
    }

    @Override
    public Publisher<Long> createFailedPublisher() {
      return publisher(0, new IllegalStateException("failed"));
    }
  }

  private static final class PagesVerification extends TckVerification<Long> {
    private final boolean onExecutor;

    PagesVerification(boolean onExecutor) {
      this.onExecutor = onExecutor;
    }

    @Override
    public Publisher<Long> createPublisher(long elements) {
      return subscriber ->
          new PagedFlux<>(THREAD, new NumberPages(elements, onExecutor))
              .subscribe(new Unchecked<>(subscriber));
    }

    @Override
    public @Nullable Publisher<Long> createFailedPublisher() {
      return null; // pages fail only after the subscription
    }
  }

  @TestFactory
  List<DynamicContainer> followsTheSpecification() {
    return List.of(
        TckVerification.tests("yielding", () -> new NumbersVerification(THREAD, true)),
        TckVerification.tests("in place", () -> new NumbersVerification(THREAD, false)),
        TckVerification.tests("immediate", () -> new NumbersVerification(Runnable::run, false)),
        TckVerification.tests("pages read ahead", () -> new PagesVerification(false)),
        TckVerification.tests("pages on the executor", () -> new PagesVerification(true)));
  }

  /** Records signals; requests nothing automatically. */
  private static class Recorder implements CoreSubscriber<Object> {
    final List<Object> signals = new ArrayList<>();
    Subscription subscription;

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
    }

    @Override
    public void onNext(Object element) {
      signals.add(element);
    }

    @Override
    public void onError(Throwable error) {
      signals.add(error);
    }

    @Override
    public void onComplete() {
      signals.add("complete");
    }
  }

  private final Recorder recorder = new Recorder();
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  private Numbers subscribe(boolean yields) {
    Numbers numbers = new Numbers(recorder, tasks::add, 100, yields, null);
    numbers.subscribe();
    return numbers;
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void runsOneTaskForManyRequests() {
    Numbers numbers = subscribe(true);
    recorder.subscription.request(1);
    recorder.subscription.request(2);
    assertThat(tasks).hasSize(1);
    runTasks();
    assertThat(recorder.signals).containsExactly(0L, 1L, 2L);
    assertThat(numbers.steps).isEqualTo(1);
  }

  @Test
  void emitsAfterARequestInOnSubscribe() {
    List<Object> before = new ArrayList<>();
    Recorder eager =
        new Recorder() {
          @Override
          public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
            before.addAll(signals);
          }
        };
    new Numbers(eager, Runnable::run, 3, true, null).start();
    assertThat(before).isEmpty();
    assertThat(eager.signals).containsExactly(0L, 1L, 2L, "complete");
  }

  @Test
  void releasesAnIdleSubscriptionWithoutATaskOnCancel() {
    Numbers numbers = subscribe(true);
    recorder.subscription.request(1);
    runTasks();
    recorder.subscription.cancel();
    recorder.subscription.cancel();
    assertThat(tasks).isEmpty();
    assertThat(numbers.releases).isPositive();
    recorder.subscription.request(1);
    runTasks();
    assertThat(recorder.signals).containsExactly(0L);
  }

  @Test
  void failsBeforeItEmitsMore() {
    subscribe(true);
    recorder.subscription.request(5);
    recorder.subscription.request(-1);
    runTasks();
    assertThat(recorder.signals)
        .singleElement()
        .isInstanceOfSatisfying(
            IllegalArgumentException.class,
            e -> assertThat(e).hasMessageContaining("-1").hasMessageContaining("3.9"));
  }

  @Test
  void addsRequestsUpToTheMaximum() {
    Numbers numbers = subscribe(true);
    recorder.subscription.request(Long.MAX_VALUE - 1);
    recorder.subscription.request(Long.MAX_VALUE - 1);
    runTasks();
    assertThat(numbers.demand()).isEqualTo(Long.MAX_VALUE);
    assertThat(recorder.signals).hasSize(101).endsWith("complete");
  }

  @Test
  void endsOnTheCallingThreadIfTheExecutorRefuses() {
    RejectedExecutionException refusal = new RejectedExecutionException("closed");
    Executor closed =
        task -> {
          throw refusal;
        };
    Numbers numbers = new Numbers(recorder, closed, 100, true, null);
    numbers.subscribe();
    assertThat(recorder.signals).isEmpty();
    recorder.subscription.request(1);
    recorder.subscription.request(1);
    assertThat(recorder.signals).containsExactly(refusal);
    assertThat(numbers.steps).isZero();
    assertThat(numbers.releases).isPositive();
  }

  @Test
  void completesIfTheExecutorRefusesACompletion() {
    Executor closed =
        task -> {
          throw new RejectedExecutionException("closed");
        };
    Numbers numbers = new Numbers(recorder, closed, 100, true, null);
    numbers.complete();
    assertThat(recorder.signals).isEmpty(); // before onSubscribe
    numbers.subscribe();
    assertThat(recorder.signals).containsExactly("complete");
  }
}
