package io.kvreactive.web.internal.connect;

import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.Context;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Brings what an engine answers back to the event loop of the request. */
final class EventLoopSubscriber {
  private EventLoopSubscriber() {}

  /** Hands the answer on; an error, also of the one who takes it, fails the request. */
  static <T> Disposable take(RoutingContext context, Mono<T> answer, Consumer<T> then) {
    Context loop = ResponseStream.current();
    Consumer<T> guarded = MessageBodies.guarded(context, then);
    return answer.subscribe(
        value -> loop.runOnContext(ignored -> guarded.accept(value)),
        failure -> loop.runOnContext(ignored -> context.fail(failure)));
  }
}
