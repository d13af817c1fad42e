package io.kvreactive.web;

import io.kvreactive.Kv;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.ServerRoutes;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.SingleToken;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
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
   * Mounts all routes of one store, below the path of the router. Only callers with the token are
   * admitted, and only pages of the same origin. May be called on any thread. The caller remains
   * responsible for closing the store, after {@link #close}.
   *
   * @param vertx the instance to which the router belongs
   * @param token the access token, which allows everything
   * @throws KvException INVALID_ARGUMENT if the token is empty or has blanks
   */
  public static KvRoutes mount(
      Vertx vertx, Router router, Kv kv, RoutesOptions options, String token) {
    return mount(vertx, router, kv, options, new SingleToken(token));
  }

  /**
   * Mounts all routes of one store for every caller, who may read and delete everything. Handlers
   * of the program that come first must authenticate callers. Pages of other origins are rejected.
   * Otherwise as {@link #mount}.
   */
  public static KvRoutes mountUnauthenticated(
      Vertx vertx, Router router, Kv kv, RoutesOptions options) {
    return mount(vertx, router, kv, options, Authenticator.OPEN);
  }

  private static KvRoutes mount(
      Vertx vertx, Router router, Kv kv, RoutesOptions options, Authenticator authenticator) {
    Lifecycle lifecycle = new Lifecycle();
    Tracing tracing = Tracing.find();
    OperationsOptions operations =
        OperationsOptions.DEFAULT; // the program has handlers of its own for these
    SingleDatabase database =
        new SingleDatabase(
            kv, DocumentStoreOptions.DEFAULT.withAllowLazy(options.allowLazy()), tracing);
    ServerRoutes.mount(
        router,
        ServerContext.of(
            vertx,
            database,
            FilterChain.embedded(authenticator),
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
