package io.kvreactive.web;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.ServerRoutes;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

/** The server's routes in a program that has a Vert.x Web router of its own. */
public final class KvRoutes {
  private final Lifecycle lifecycle;

  private KvRoutes(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  /**
   * Mounts all routes of one store, below wherever the router is mounted. They let everybody do
   * everything: guard them with handlers of your own that come first. Pages of other origins are
   * refused. The store stays yours to close. To be called on a Vert.x context, as in the start of a
   * verticle.
   *
   * @throws KvException INVALID_ARGUMENT on a thread without a context
   */
  public static KvRoutes mount(Router router, Kv kv) {
    Context context = Vertx.currentContext();
    if (context == null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "mounted on thread %s (expected: a Vert.x context, or a Vertx as the first argument)"
              .formatted(Thread.currentThread().getName()));
    }
    return mount(context.owner(), router, kv, RoutesOptions.DEFAULT);
  }

  /**
   * Like {@link #mount(Router, Kv)}, on any thread.
   *
   * @param vertx that the router belongs to
   */
  public static KvRoutes mount(Vertx vertx, Router router, Kv kv, RoutesOptions options) {
    Lifecycle lifecycle = new Lifecycle();
    Tracing tracing = Tracing.find();
    OperationsOptions operations = OperationsOptions.DEFAULT; // the program's own see to it
    ServerRoutes.mount(
        router,
        new ServerContext(
            vertx,
            new SingleDatabase(
                kv, KvIndexOptions.DEFAULT.withAllowLazy(options.allowLazy()), tracing),
            FilterChain.embedded(Authenticator.OPEN),
            options,
            lifecycle,
            operations,
            tracing));
    return new KvRoutes(lifecycle);
  }

  /**
   * Ends all streams, each with a token to resume by, and answers {@code /readyz} with 503: for
   * when your server is about to stop. Idempotent.
   */
  public void drain() {
    lifecycle.drain();
  }
}
