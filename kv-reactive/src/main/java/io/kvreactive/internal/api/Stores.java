package io.kvreactive.internal.api;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.KvVerticle;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import reactor.core.publisher.Mono;

/** The stores that are deployed on a Vert.x, by name. */
public final class Stores {
  private static final String MAP = "io.kvreactive.stores";

  private Stores() {}

  private static LocalMap<String, Deployed> map(Vertx vertx) {
    return vertx.sharedData().getLocalMap(MAP);
  }

  /** Deploys a store's verticle; the handle undeploys it. */
  public static Mono<Kv> open(Vertx vertx, KvOptions options) {
    return Mono.create(
        sink -> {
          KvVerticle verticle = new KvVerticle(options);
          vertx
              .deployVerticle(verticle, KvVerticle.deployment(options))
              .map(id -> deployed(vertx, options.name()).handle(undeploy(vertx, id)))
              .onComplete(sink::success, failure -> sink.error(asKvException(failure)));
        });
  }

  private static Mono<Void> undeploy(Vertx vertx, String id) {
    return Mono.create(
        sink -> {
          if (vertx.deploymentIDs().contains(id)) {
            vertx.undeploy(id).onComplete(done -> sink.success(), sink::error);
          } else {
            sink.success(); // by an earlier close, or with the Vert.x
          }
        });
  }

  private static KvException asKvException(Throwable failure) {
    return failure instanceof KvException known
        ? known
        : new KvException(KvErrorCode.INTERNAL, "deploying the store failed: " + failure, failure);
  }

  /** A handle of a deployed store. */
  public static Mono<Kv> named(Vertx vertx, String name) {
    return Mono.fromSupplier(() -> deployed(vertx, name).handle(Mono.empty()));
  }

  private static Deployed deployed(Vertx vertx, String name) {
    Deployed deployed = map(vertx).get(name);
    if (deployed == null) {
      throw new KvException(
          KvErrorCode.NO_SUCH_STORE,
          "store: \"%s\" (expected: one of %s)".formatted(name, map(vertx).keySet()));
    }
    return deployed;
  }

  /**
   * Makes a store known.
   *
   * @throws KvException NAME_TAKEN
   */
  public static void register(Vertx vertx, String name, Deployed store) {
    if (map(vertx).putIfAbsent(name, store) != null) {
      throw new KvException(
          KvErrorCode.NAME_TAKEN, "store: \"" + name + "\" (expected: a name that is not taken)");
    }
  }

  public static void unregister(Vertx vertx, String name, Deployed store) {
    map(vertx).removeIfPresent(name, store);
  }
}
