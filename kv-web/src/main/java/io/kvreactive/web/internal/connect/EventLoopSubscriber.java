package io.kvreactive.web.internal.connect;

import io.kvreactive.web.internal.http.Outlet;
import io.vertx.core.Context;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Subscribes to results of an engine for a request and delivers them on the request's event loop.
 */
final class EventLoopSubscriber {
  private EventLoopSubscriber() {}

  /**
   * Passes the result to {@code then} on the current event loop. An error, including one that
   * {@code then} throws, fails the request.
   *
   * @return the subscription
   */
  static <T> Disposable take(RoutingContext context, Mono<T> answer, Consumer<T> then) {
    Context loop = Outlet.current();
    Consumer<T> guarded = MessageBodies.guarded(context, then);
    return answer.subscribe(
        value -> loop.runOnContext(ignored -> guarded.accept(value)),
        failure -> loop.runOnContext(ignored -> context.fail(failure)));
  }
}
