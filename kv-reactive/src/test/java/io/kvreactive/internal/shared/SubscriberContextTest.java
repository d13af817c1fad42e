package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The thread that emits, with and without a Vert.x context. */
@ExtendWith(VertxExtension.class)
class SubscriberContextTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final SubscriberContext subscriberContext = new SubscriberContext(tasks::add);

  static Stream<Mono<Integer>> sources() {
    return Stream.of(Mono.just(1), Mono.empty(), Mono.error(new IllegalStateException("failed")));
  }

  private static List<Publisher<Integer>> applied(SubscriberContext rule, Mono<Integer> source) {
    return List.of(
        rule.apply(source),
        rule.apply(source.flux()),
        rule.applyInBatches(source.flux().map(element -> new Weighted<>(element, 1))),
        Flux.defer(() -> source.flux().publishOn(rule.scheduler(), 1)));
  }

  /** Subscribes on this thread. The future completes with the context of the last signal. */
  private static CompletableFuture<Context> emitted(Publisher<Integer> publisher) {
    CompletableFuture<Context> last = new CompletableFuture<>();
    Flux.from(publisher)
        .subscribe(
            element -> {},
            failure -> last.complete(Vertx.currentContext()),
            () -> last.complete(Vertx.currentContext()));
    return last;
  }

  @ParameterizedTest
  @MethodSource("sources")
  void emitsOnTheContextOfTheSubscriber(Mono<Integer> source, Vertx vertx) throws Exception {
    Mono<Integer> elsewhere = source.subscribeOn(Schedulers.parallel());
    Context context = vertx.getOrCreateContext();
    for (SubscriberContext rule : List.of(subscriberContext, SubscriberContext.REQUIRED)) {
      for (Publisher<Integer> publisher : applied(rule, elsewhere)) {
        CompletableFuture<Context> last = new CompletableFuture<>();
        context.runOnContext(ignored -> emitted(publisher).thenAccept(last::complete));
        assertThat(last.get(30, TimeUnit.SECONDS)).isSameAs(context);
      }
    }
    assertThat(tasks).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("sources")
  void emitsOnTheFallbackWithoutAContext(Mono<Integer> source) {
    for (Publisher<Integer> publisher : applied(subscriberContext, source)) {
      CompletableFuture<Context> last = emitted(publisher);
      assertThat(last).isNotDone();
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      assertThat(last).isCompletedWithValue(null);
    }
  }

  @ParameterizedTest
  @MethodSource("sources")
  void failsWithoutARequiredContext(Mono<Integer> source) {
    for (Publisher<Integer> publisher : applied(SubscriberContext.REQUIRED, source)) {
      assertThatThrownBy(() -> Flux.from(publisher).blockLast(TIMEOUT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("not on a Vert.x context");
    }
  }

  @ParameterizedTest
  @MethodSource("sources")
  void endsIfTheFallbackRejectsTheSignal(Mono<Integer> source) {
    SubscriberContext rejecting =
        new SubscriberContext(
            task -> {
              throw new RejectedExecutionException("full");
            });
    List<Throwable> failures = new ArrayList<>();
    List<Integer> elements = new ArrayList<>();
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    rejecting
        .apply(source)
        .doOnTerminate(() -> ended.complete(true))
        .subscribe(elements::add, failures::add);
    assertThat(ended).isCompleted();
    assertThat(elements).isEmpty();
    source
        .hasElement()
        .onErrorReturn(true)
        .subscribe(hasFailure -> assertThat(failures).hasSize(hasFailure ? 1 : 0));
  }

  @Test
  void dropsSignalsForAClosedVertx(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();
    CompletableFuture<Void> ran = new CompletableFuture<>();
    CompletableFuture<Runnable> later = new CompletableFuture<>();
    context.runOnContext(
        ignored -> {
          var executor = subscriberContext.forSubscriber();
          later.complete(() -> executor.execute(() -> ran.complete(null)));
        });
    Runnable signal = later.get(30, TimeUnit.SECONDS);
    vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    signal.run();
    assertThat(ran).isNotDone();
  }
}
