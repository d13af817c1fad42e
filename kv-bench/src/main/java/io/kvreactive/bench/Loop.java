package io.kvreactive.bench;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Repeats an operation, several at a time, for a warm-up and a measured time.
 *
 * @param warmUp the time before the measurement
 * @param measured the measured time, which follows the warm-up without a pause
 * @param caller runs the subscription, on the thread of its choice
 */
public record Loop(Duration warmUp, Duration measured, Consumer<Runnable> caller) {
  private static final long HANGS_AFTER_SECONDS = 60;

  /** Creates a loop that subscribes on the calling thread, without a Vert.x context. */
  public static Loop plain(Duration warmUp, Duration measured) {
    return new Loop(warmUp, measured, Runnable::run);
  }

  /**
   * Returns the number of elements per second that the operations emit.
   *
   * @param inFlight the number of concurrent operations
   * @param operation creates an operation from its number
   */
  public double rate(int inFlight, IntFunction<? extends Publisher<?>> operation) {
    return rateWhile(inFlight, operation, CompletableFuture::new);
  }

  /**
   * Returns the number of elements per second that the operations emit during a concurrent
   * activity, or during the measured time if that is shorter.
   *
   * @param begin starts the activity at the end of the warm-up; the activity ends when the future
   *     completes
   */
  public double rateWhile(
      int inFlight,
      IntFunction<? extends Publisher<?>> operation,
      Supplier<? extends CompletableFuture<?>> begin) {
    LongAdder emitted = new LongAdder();
    CompletableFuture<Void> stop = new CompletableFuture<>();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Flux<Integer> numbers =
        Flux.range(0, Integer.MAX_VALUE).takeWhile(number -> !stop.isDone() && !ended.isDone());
    // concatMap passes unbounded demand on, so that a list chooses its own page size
    Flux<?> work =
        inFlight == 1
            ? numbers.concatMap(operation::apply, 0)
            : numbers.flatMap(operation::apply, inFlight);
    caller.accept(
        () ->
            work.subscribe(
                element -> emitted.increment(),
                ended::completeExceptionally,
                () -> ended.complete(null)));
    try {
      waitFor(ended, warmUp);
      requireRunning(ended);
      CompletableFuture<?> goesOn = begin.get();
      long startCount = emitted.sum();
      long start = System.nanoTime();
      waitFor(CompletableFuture.anyOf(ended, goesOn), measured);
      requireRunning(ended);
      double rate = (emitted.sum() - startCount) * 1e9 / (System.nanoTime() - start);
      stop.complete(null);
      ended.get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
      return rate;
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the loop failed or timed out: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static void waitFor(CompletableFuture<?> end, Duration time)
      throws ExecutionException, InterruptedException {
    try {
      end.get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // the time has elapsed without a failure
    }
  }

  private static void requireRunning(CompletableFuture<?> ended) {
    if (ended.isDone()) {
      throw new IllegalStateException("the loop ended before the measured time");
    }
  }
}
