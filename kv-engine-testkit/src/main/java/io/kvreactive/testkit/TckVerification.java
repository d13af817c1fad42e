package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.SkipException;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;

/**
 * A verification of the Reactive Streams compatibility kit, which waits long for expected signals
 * and briefly for those that must not arrive. The kit is written for TestNG, which does not run
 * beside JUnit. So {@link #tests} calls its methods, each on a new verification.
 */
public abstract class TckVerification<T> extends PublisherVerification<T> {
  /** Number of elements that finite publishers can emit. */
  public static final int MAX_ELEMENTS = 1000;

  /** Writers to dispose after each test, because not every test of the TCK cancels. */
  protected final Queue<Disposable> writers = new ConcurrentLinkedQueue<>();

  protected TckVerification() {
    super(new TestEnvironment(60_000, 50, 5), 100);
  }

  /** Like that of the kit, which allows the collector and the store's threads only 100 ms. */
  @Override
  @org.testng.annotations.Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber() {
    WeakReference<?> dropped = subscribedAndCancelled(createPublisher(3));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (dropped.get() != null) {
      assertThat(System.nanoTime()).as("the subscriber is still held").isLessThan(deadline);
      System.gc();
    }
  }

  private static <T> WeakReference<?> subscribedAndCancelled(Publisher<T> publisher) {
    CompletableFuture<T> first = new CompletableFuture<>();
    BaseSubscriber<T> subscriber =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            request(1);
          }

          @Override
          protected void hookOnNext(T element) {
            first.complete(element);
          }
        };
    publisher.subscribe(subscriber);
    assertThat(first.orTimeout(60, TimeUnit.SECONDS).join()).isNotNull();
    subscriber.cancel();
    return new WeakReference<>(subscriber);
  }

  @Override
  @org.testng.annotations.Test
  public void required_spec309_requestZeroMustSignalIllegalArgumentException() {
    assertThat(failureOfRequest(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Override
  @org.testng.annotations.Test
  public void required_spec309_requestNegativeNumberMustSignalIllegalArgumentException() {
    assertThat(failureOfRequest(Long.MIN_VALUE)).isInstanceOf(IllegalArgumentException.class);
  }

  @Override
  @org.testng.annotations.Test
  public void
      optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage() {
    assertThat(failureOfRequest(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3.9");
  }

  /**
   * Returns the error that follows an invalid request. The kit waits 5 ms for it, whatever its
   * timeout: it subtracts the time that has elapsed from zero (1.0.4).
   */
  private Throwable failureOfRequest(long n) {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    createPublisher(10)
        .subscribe(
            new Subscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(n);
              }

              @Override
              public void onNext(T element) {
                failure.completeExceptionally(new AssertionError("not requested: " + element));
              }

              @Override
              public void onError(Throwable error) {
                failure.complete(error);
              }

              @Override
              public void onComplete() {
                failure.completeExceptionally(new AssertionError("completed"));
              }
            });
    return failure.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Override
  public long maxElementsFromPublisher() {
    return MAX_ELEMENTS;
  }

  /** Returns the tests of the kit. */
  public static DynamicContainer tests(String name, Supplier<TckVerification<?>> kit) {
    return DynamicContainer.dynamicContainer(
        name,
        Arrays.stream(kit.get().getClass().getMethods())
            .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
            .sorted(Comparator.comparing(Method::getName))
            .map(method -> DynamicTest.dynamicTest(method.getName(), () -> run(kit.get(), method)))
            .toList());
  }

  private static void run(TckVerification<?> verification, Method method) throws Exception {
    verification.setUp();
    try {
      method.invoke(verification);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      Assumptions.assumeFalse(cause instanceof SkipException, () -> String.valueOf(cause));
      if (cause instanceof Error failed) {
        throw failed;
      }
      throw e;
    } finally {
      verification.writers.forEach(Disposable::dispose);
    }
  }
}
