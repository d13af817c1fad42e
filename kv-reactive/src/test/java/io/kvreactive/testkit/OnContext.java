package io.kvreactive.testkit;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Subscribes on a Vert.x context and waits elsewhere. */
final class OnContext {
  private static final Vertx VERTX = Vertx.vertx();

  private OnContext() {}

  static <T> T get(Supplier<Mono<T>> mono) {
    return get(VERTX.getOrCreateContext(), mono);
  }

  static <T> T get(Context context, Supplier<Mono<T>> mono) {
    CompletableFuture<T> future = new CompletableFuture<>();
    context.runOnContext(
        ignored -> mono.get().subscribe(future::complete, future::completeExceptionally));
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
