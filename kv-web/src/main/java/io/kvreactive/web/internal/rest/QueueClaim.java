package io.kvreactive.web.internal.rest;

import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.GrantExpiration;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The claim of a request for messages. It is answered with the messages that arrive, or with none
 * after its waiting time or when the server stops. It is not answered if the caller has
 * disconnected, and fails with UNAUTHENTICATED if the caller's token ends. Messages that arrive too
 * late for the response are returned to the queue.
 *
 * <p>No operator is between the engine and this subscriber, because operators drop elements that
 * arrive after a cancel. Must be created and started on the request's event loop.
 */
final class QueueClaim extends BaseSubscriber<List<LeasedMessage>> {
  private final RoutingContext context;
  private final KvEngine engine;
  private final Function<List<LeasedMessage>, Future<Void>> answer;
  private final Context here = Outlet.current();
  private boolean over; // accessed on the event loop only

  /**
   * Creates a claim.
   *
   * @param engine the engine to which unused messages are returned
   * @param answer writes the response
   */
  QueueClaim(
      RoutingContext context, KvEngine engine, Function<List<LeasedMessage>, Future<Void>> answer) {
    this.context = context;
    this.engine = engine;
    this.answer = answer;
  }

  /**
   * Starts the claim.
   *
   * @param waitMillis the maximum time until the response
   */
  void start(Mono<List<LeasedMessage>> claim, long waitMillis, Lifecycle lifecycle) {
    long timer = context.vertx().setTimer(waitMillis, late -> finish(List.of()));
    Runnable forget = lifecycle.register(() -> here.runOnContext(stop -> finish(List.of())));
    Runnable unexpire =
        GrantExpiration.watch(
            context.vertx(), RequestContext.of(context).grant(), this::tokenEnded);
    context.addEndHandler(
        ended -> {
          over = true; // also if the caller disconnects
          cancel();
          context.vertx().cancelTimer(timer);
          forget.run();
          unexpire.run();
        });
    claim.subscribe(this);
  }

  /**
   * Passes messages to the event loop. Called on a thread of the engine, possibly after the cancel.
   */
  @Override
  protected void hookOnNext(List<LeasedMessage> messages) {
    here.runOnContext(arrived -> finish(messages));
  }

  @Override
  protected void hookOnError(Throwable failure) {
    here.runOnContext(failed -> fail(failure));
  }

  private void tokenEnded() {
    cancel();
    fail(new WebException(WebErrorCode.UNAUTHENTICATED, "the token has expired or was revoked"));
  }

  private void fail(Throwable failure) {
    if (!over) {
      over = true;
      context.fail(failure);
    }
  }

  private void finish(List<LeasedMessage> messages) {
    if (over || context.response().closed()) {
      giveBack(messages);
    } else {
      over = true;
      cancel(); // later messages are returned to the queue
      answer.apply(messages).onFailure(gone -> giveBack(messages));
    }
  }

  private void giveBack(List<LeasedMessage> messages) {
    Flux.fromIterable(messages)
        .flatMap(message -> engine.finish(message.token(), new Finish.Release()).onErrorComplete())
        .subscribe();
  }
}
