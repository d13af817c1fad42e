package io.kvreactive.internal.api;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.KvVerticle;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.kvreactive.internal.reactive.CallbackThread;
import io.kvreactive.internal.reactive.Emission;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The stores that are deployed on a Vert.x, by name. */
public final class Stores {
  private static final String MAP = "io.kvreactive.stores";

  private record Entry(EmbeddedEngine engine) implements Shareable {}

  private Stores() {}

  private static LocalMap<String, Entry> map(Vertx vertx) {
    return vertx.sharedData().getLocalMap(MAP);
  }

  /** Deploys a store's verticle; the handle undeploys it. */
  public static Mono<Kv> open(Vertx vertx, KvOptions options) {
    return emitted(options.name(), callbacks -> deploy(vertx, options, callbacks))
        .doOnDiscard(Kv.class, cancelled -> cancelled.close().subscribe());
  }

  /** A handle has a callback thread of its own, and is itself emitted there. */
  private static Mono<Kv> emitted(String name, Function<CallbackThread, Mono<Kv>> handle) {
    return Mono.defer(
        () -> {
          CallbackThread callbacks = new CallbackThread("kv-callback-" + name);
          return new Emission(callbacks)
              .apply(handle.apply(callbacks))
              .doOnError(ignored -> callbacks.close());
        });
  }

  private static Mono<Kv> deploy(Vertx vertx, KvOptions options, CallbackThread callbacks) {
    return Mono.create(
        sink ->
            vertx
                .deployVerticle(new KvVerticle(options), KvVerticle.deployment(options))
                .onComplete(
                    (id, failure) -> {
                      if (failure != null) {
                        sink.error(unwrapped(failure));
                      } else {
                        EmbeddedEngine engine = engine(vertx, options.name());
                        sink.success(
                            EngineKv.over(
                                engine, callbacks, release(vertx, options.name(), engine, id)));
                      }
                    }));
  }

  /** What has been undeployed otherwise, by the Vert.x when it closes, is only waited for. */
  private static Mono<Void> release(Vertx vertx, String name, EmbeddedEngine engine, String id) {
    return Mono.defer(
        () ->
            new Entry(engine).equals(map(vertx).get(name)) ? undeploy(vertx, id) : engine.close());
  }

  private static Mono<Void> undeploy(Vertx vertx, String id) {
    return Mono.create(
        sink ->
            vertx
                .undeploy(id)
                .onComplete(
                    (done, failure) -> {
                      if (failure == null || failure instanceof IllegalStateException) {
                        sink.success(); // the second: undeployed already
                      } else {
                        sink.error(failure);
                      }
                    }));
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof KvException
        ? failure
        : new KvException(KvErrorCode.INTERNAL, "deploying the store failed: " + failure, failure);
  }

  /** A handle of a deployed store. */
  public static Mono<Kv> named(Vertx vertx, String name) {
    return emitted(
        name,
        callbacks ->
            Mono.fromSupplier(() -> EngineKv.over(engine(vertx, name), callbacks, Mono.empty())));
  }

  private static EmbeddedEngine engine(Vertx vertx, String name) {
    Entry entry = map(vertx).get(name);
    if (entry == null) {
      throw new KvException(
          KvErrorCode.NO_SUCH_STORE,
          "store: \"%s\" (expected: one of %s)".formatted(name, map(vertx).keySet()));
    }
    return entry.engine();
  }

  /**
   * Makes a store known.
   *
   * @throws KvException NAME_TAKEN
   */
  public static void register(Vertx vertx, KvOptions options, EmbeddedEngine engine) {
    if (map(vertx).putIfAbsent(options.name(), new Entry(engine)) != null) {
      throw new KvException(
          KvErrorCode.NAME_TAKEN,
          "store: \"" + options.name() + "\" (expected: a name that is not taken)");
    }
  }

  public static void unregister(Vertx vertx, KvOptions options, EmbeddedEngine engine) {
    map(vertx).removeIfPresent(options.name(), new Entry(engine));
  }
}
