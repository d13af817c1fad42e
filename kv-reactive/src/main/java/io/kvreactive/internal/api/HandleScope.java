package io.kvreactive.internal.api;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SubscriberContext;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What the calls on a handle share: the context of their signals, and the end when it is closed.
 */
final class HandleScope {
  private final SubscriberContext context;
  private final Mono<Void> release;
  private final Sinks.Empty<Void> closed = Sinks.empty();
  private volatile boolean isClosed;

  /**
   * Creates the scope of an open handle.
   *
   * @param context the context on which signals are emitted
   * @param release subscribed to when the handle is closed
   */
  HandleScope(SubscriberContext context, Mono<Void> release) {
    this.context = context;
    this.release = release;
  }

  SubscriberContext context() {
    return context;
  }

  /** Completes when the handle is closed. */
  Mono<Void> closed() {
    return closed.asMono();
  }

  /** Defers a call, so that argument errors too are signalled on the subscriber's context. */
  <T> Mono<T> mono(Supplier<Mono<T>> call) {
    return context.apply(
        Mono.defer(
            () -> {
              checkOpen();
              return call.get();
            }));
  }

  /**
   * Defers a call, and signals argument errors on the subscriber's context.
   *
   * @param call returns a publisher that already emits there
   */
  <T> Flux<T> flux(Supplier<Flux<T>> call) {
    return Flux.defer(
        () -> {
          try {
            checkOpen();
            return call.get();
          } catch (KvException e) {
            return context.apply(Flux.error(e));
          }
        });
  }

  private void checkOpen() {
    if (isClosed) {
      throw closedHandle();
    }
  }

  static KvException closedHandle() {
    return new KvException(KvErrorCode.CLOSED, "the handle is closed");
  }

  /** Closes the handle. */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          isClosed = true;
          closed.tryEmitEmpty();
          return context.apply(release);
        });
  }
}
