package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.streams.ReadStream;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@ExtendWith(VertxExtension.class)
class VertxBridgeTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void futureHasTheValueOnTheContextOfTheCaller(Vertx vertx) throws Exception {
    Context context = vertx.getOrCreateContext();
    CompletableFuture<Object> seen = new CompletableFuture<>();
    context.runOnContext(
        ignored ->
            VertxBridge.future(Mono.just("x").publishOn(Schedulers.parallel()))
                .onComplete(
                    value -> seen.complete(List.of(value, Vertx.currentContext() == context)),
                    seen::completeExceptionally));
    assertThat(get(seen)).isEqualTo(List.of("x", true));
  }

  @Test
  void futureOfAnEmptyMonoHasNull() {
    Future<String> future = VertxBridge.future(Mono.empty());
    assertThat(future.succeeded()).isTrue();
    assertThat(future.result()).isNull();
  }

  @Test
  void futureHasTheErrorOfTheMono() {
    KvException error = new KvException(KvErrorCode.CLOSED, "closed");
    assertThat(VertxBridge.future(Mono.error(error)).cause()).isSameAs(error);
  }

  @Test
  void monoCallsAtEachSubscription() {
    AtomicLong calls = new AtomicLong();
    Mono<Long> mono = VertxBridge.mono(() -> Future.succeededFuture(calls.incrementAndGet()));
    assertThat(calls).hasValue(0);
    assertThat(mono.block(TIMEOUT)).isEqualTo(1);
    assertThat(mono.block(TIMEOUT)).isEqualTo(2);
  }

  @Test
  void monoHasTheFailureOfTheFutureAndIsEmptyForNull() {
    IllegalArgumentException failure = new IllegalArgumentException("no");
    StepVerifier.create(VertxBridge.mono(() -> Future.failedFuture(failure)))
        .expectErrorMatches(error -> error == failure)
        .verify(TIMEOUT);
    StepVerifier.create(VertxBridge.mono(() -> Future.succeededFuture(null)))
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  void pipesAFluxToAFile(Vertx vertx, @TempDir Path directory) throws Exception {
    Path file = directory.resolve("numbers");
    Flux<Buffer> lines = Flux.range(0, 20_000).map(i -> Buffer.buffer(i + "\n"));
    CompletableFuture<Void> piped =
        vertx
            .fileSystem()
            .open(file.toString(), new OpenOptions())
            .compose(opened -> VertxBridge.readStream(vertx, lines).pipeTo(opened))
            .toCompletionStage()
            .toCompletableFuture();
    get(piped);
    List<String> written = Files.readAllLines(file);
    assertThat(written).hasSize(20_000).startsWith("0", "1").endsWith("19999");
  }

  @Test
  void readStreamRequestsFetchedElements(Vertx vertx) throws Exception {
    AtomicLong requested = new AtomicLong();
    Flux<Integer> numbers = Flux.range(0, 1000).doOnRequest(requested::addAndGet);
    ReadStream<Integer> stream = VertxBridge.readStream(vertx, numbers).pause();
    List<Integer> seen = new ArrayList<>();
    CompletableFuture<List<Integer>> three = new CompletableFuture<>();
    stream.handler(
        number -> {
          seen.add(number);
          if (seen.size() == 3) {
            three.complete(List.copyOf(seen));
          }
        });
    stream.fetch(3);
    assertThat(get(three)).containsExactly(0, 1, 2);
    assertThat(requested).hasValue(3);
  }

  @Test
  void readStreamEndsAfterItsLastElementIsTaken(Vertx vertx) throws Exception {
    ReadStream<String> stream = VertxBridge.readStream(vertx, Flux.just("a", "b")).pause();
    List<String> seen = new ArrayList<>();
    CompletableFuture<List<String>> ended = new CompletableFuture<>();
    stream.endHandler(end -> ended.complete(seen)).handler(seen::add);
    stream.fetch(1);
    assertThat(ended).isNotDone();
    stream.resume();
    assertThat(get(ended)).containsExactly("a", "b");
  }

  @Test
  void readStreamPassesOnTheError(Vertx vertx) throws Exception {
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    RuntimeException error = new RuntimeException("no");
    VertxBridge.readStream(vertx, Flux.just(1).concatWith(Mono.error(error)))
        .exceptionHandler(failed::complete)
        .handler(number -> {});
    assertThat(get(failed)).isSameAs(error);
  }

  @Test
  void readStreamWithoutAHandlerIsCancelled(Vertx vertx) {
    TestPublisher<Integer> source = TestPublisher.create();
    ReadStream<Integer> stream = VertxBridge.readStream(vertx, source.flux()).handler(number -> {});
    source.assertWasSubscribed();
    stream.handler(null);
    source.assertCancelled();
  }

  @Test
  void readStreamIsCancelledWhenItsHandlerThrows(Vertx vertx) throws Exception {
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    CompletableFuture<Throwable> reported = new CompletableFuture<>();
    Flux<Integer> numbers = Flux.range(0, 10).doOnCancel(() -> cancelled.complete(null));
    Context context = vertx.getOrCreateContext();
    context.exceptionHandler(reported::complete);
    context.runOnContext(
        ignored ->
            VertxBridge.readStream(vertx, numbers)
                .handler(
                    number -> {
                      throw new IllegalStateException("handler");
                    }));
    get(cancelled);
    assertThat(get(reported)).hasMessage("handler");
  }

  @Test
  void fluxOfAStreamHasItsElementsByDemand(Vertx vertx, @TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("bytes"), new byte[100_000]);
    Flux<Buffer> blocks =
        VertxBridge.mono(() -> vertx.fileSystem().open(file.toString(), new OpenOptions()))
            .flatMapMany(opened -> VertxBridge.flux(opened.setReadBufferSize(1000)));
    StepVerifier.create(blocks, 0)
        .expectSubscription()
        .thenRequest(10)
        .expectNextCount(10)
        .thenRequest(Long.MAX_VALUE)
        .expectNextCount(90)
        .expectComplete()
        .verify(TIMEOUT);
  }

  @Test
  void fluxOfAStreamHasOneSubscriber(Vertx vertx) {
    ReadStream<Integer> stream = VertxBridge.readStream(vertx, Flux.just(1));
    Flux<Integer> flux = VertxBridge.flux(stream);
    assertThat(flux.collectList().block(TIMEOUT)).containsExactly(1);
    assertThatThrownBy(() -> flux.blockLast(TIMEOUT)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void fluxThatIsCancelledPausesItsStream(Vertx vertx) {
    AtomicLong requested = new AtomicLong();
    Flux<Integer> numbers = Flux.range(1, 1000).doOnRequest(requested::addAndGet);
    ReadStream<Integer> stream = VertxBridge.readStream(vertx, numbers);
    StepVerifier.create(VertxBridge.flux(stream), 1).expectNext(1).thenCancel().verify(TIMEOUT);
    assertThat(requested).hasValue(1);
  }

  @Test
  void blockingAnEventLoopFails(Vertx vertx) throws Exception {
    Promise<Kv> opened = Promise.promise();
    Kv.inMemory(vertx).subscribe(opened::complete, opened::fail);
    Kv kv = get(opened.future().toCompletionStage().toCompletableFuture());
    CompletableFuture<Object> result = new CompletableFuture<>();
    vertx.runOnContext(
        ignored -> {
          try {
            result.complete(kv.set(KvKey.of("k"), 1).block());
          } catch (Throwable e) {
            result.complete(e);
          }
        });
    assertThat(get(result))
        .isInstanceOfSatisfying(
            IllegalStateException.class, e -> assertThat(e).hasMessageContaining("blocking"));
    kv.close().block(TIMEOUT);
  }
}
