package io.kvreactive.web;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.DocumentStoreOptions;
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
import reactor.core.publisher.Mono;

/** The routes of a server, mounted in the Vert.x Web router of another program. */
public final class KvRoutes {
  private final Lifecycle lifecycle;
  private final SingleDatabase database;

  private KvRoutes(Lifecycle lifecycle, SingleDatabase database) {
    this.lifecycle = lifecycle;
    this.database = database;
  }

  /**
   * Mounts all routes of one store, below the path of the router. Must be called on a Vert.x
   * context, such as in the start of a verticle.
   *
   * <p>The routes allow every request: protect them by handlers of your own that come first.
   * Requests from pages of other origins are rejected. The caller remains responsible for closing
   * the store, after {@link #close}.
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
   * Mounts all routes of one store, as {@link #mount(Router, Kv)}. May be called on any thread.
   *
   * @param vertx the instance to which the router belongs
   */
  public static KvRoutes mount(Vertx vertx, Router router, Kv kv, RoutesOptions options) {
    Lifecycle lifecycle = new Lifecycle();
    Tracing tracing = Tracing.find();
    OperationsOptions operations =
        OperationsOptions.DEFAULT; // the program has handlers of its own for these
    SingleDatabase database =
        new SingleDatabase(
            kv, DocumentStoreOptions.DEFAULT.withAllowLazy(options.allowLazy()), tracing);
    ServerRoutes.mount(
        router,
        new ServerContext(
            vertx,
            database,
            FilterChain.embedded(Authenticator.OPEN),
            options,
            lifecycle,
            operations,
            tracing));
    return new KvRoutes(lifecycle, database);
  }

  /**
   * Ends all streams, each with a position to resume from, and answers {@code /readyz} with 503.
   * Must be called when your server is about to stop. Idempotent.
   */
  public void drain() {
    lifecycle.drain();
  }

  /**
   * Drains, and stops the background work of the collections. Completes when it has ended; the
   * store can be closed then. Idempotent.
   */
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          drain();
          return database.close();
        });
  }
}
