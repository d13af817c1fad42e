package io.kvreactive;

import io.kvreactive.internal.shared.FluxReadStream;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.streams.ReadStream;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Conversions between the asynchronous types of Reactor and of Vert.x. */
public final class VertxBridge {
  private VertxBridge() {}

  /**
   * Subscribes to a Mono and returns its result as a future: its value, null if it is empty, or its
   * error. Handlers of the future run on the Vert.x context that is current now, if there is one. A
   * Vert.x future cannot be cancelled, and so neither can the subscription.
   */
  public static <T> Future<@Nullable T> future(Mono<T> mono) {
    Context context = Vertx.currentContext();
    Promise<@Nullable T> promise = Promise.promise();
    mono.subscribe(promise::tryComplete, promise::tryFail, promise::tryComplete);
    CompletionStage<@Nullable T> stage = promise.future().toCompletionStage();
    return context == null
        ? Future.fromCompletionStage(stage)
        : Future.fromCompletionStage(stage, context);
  }

  /**
   * Returns a Mono that starts an asynchronous call at each subscription. Emits the result of the
   * future, completes empty if that is null, or emits its failure, on the thread that completes the
   * future. Cancellation ignores the result; the call itself continues.
   */
  public static <T> Mono<T> mono(Supplier<? extends Future<? extends @Nullable T>> call) {
    return Mono.fromCompletionStage(() -> call.get().toCompletionStage());
  }

  /**
   * Returns a Flux as a stream that is read once, on the current Vert.x context or, without one, on
   * a new context. Subscribes when a handler is set. Requests elements one by one while the stream
   * has demand, so that {@code pause}, {@code fetch} and pipes limit the source. Setting the
   * handler to null cancels the subscription.
   *
   * <p>The methods of the stream are thread-safe; its handlers run on its context.
   */
  public static <T> ReadStream<T> readStream(Vertx vertx, Flux<T> flux) {
    return new FluxReadStream<>(flux, vertx.getOrCreateContext());
  }

  /**
   * Returns a stream of Vert.x as a Flux for one subscriber; another one gets an
   * IllegalStateException. Pauses the stream, and fetches what the subscriber requests. Emits on
   * the context of the stream. Cancellation pauses the stream; its owner closes it.
   *
   * <p>A stream that may emit before the subscription must be paused by the caller.
   */
  public static <T> Flux<T> flux(ReadStream<T> stream) {
    AtomicBoolean subscribed = new AtomicBoolean();
    return Flux.create(
        sink -> {
          if (!subscribed.compareAndSet(false, true)) {
            sink.error(new IllegalStateException("a stream has one subscriber"));
            return;
          }
          stream.pause();
          stream.exceptionHandler(sink::error);
          stream.endHandler(end -> sink.complete());
          stream.handler(sink::next);
          sink.onCancel(stream::pause);
          sink.onRequest(stream::fetch);
        });
  }
}
