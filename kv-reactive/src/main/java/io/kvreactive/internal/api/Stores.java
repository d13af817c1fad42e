package io.kvreactive.internal.api;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.KvVerticle;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.KvConnector;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import java.util.ServiceLoader;
import reactor.core.publisher.Mono;

/** The registry of the stores that are deployed on a Vert.x instance, by name. */
public final class Stores {
  private static final String MAP = "io.kvreactive.stores";

  private Stores() {}

  private static LocalMap<String, DeployedStore> map(Vertx vertx) {
    return vertx.sharedData().getLocalMap(MAP);
  }

  /**
   * Deploys a store's verticle and emits a handle that undeploys it. The handle is closed if the
   * subscription was cancelled.
   */
  public static Mono<Kv> open(Vertx vertx, KvOptions options) {
    Mono<Kv> opened =
        Mono.create(
            sink ->
                vertx
                    .deployVerticle(new KvVerticle(options), KvVerticle.deployment(options))
                    .map(id -> handle(vertx, options.name(), id))
                    .onComplete(sink::success, failure -> sink.error(asKvException(failure))));
    return subscriberContext(options.name())
        .apply(opened)
        .doOnDiscard(Kv.class, cancelled -> cancelled.close().subscribe());
  }

  /** Opens an engine of another module. A handle without a receiver is closed. */
  public static Mono<Kv> open(Vertx vertx, KvEngineOptions options) {
    return subscriberContext(options.name())
        .apply(
            Mono.defer(() -> options.openEngine(vertx)).map(engine -> over(engine, options.name())))
        .doOnDiscard(Kv.class, cancelled -> cancelled.close().subscribe());
  }

  /** Connects to a store over the network and emits a handle. */
  public static Mono<Kv> connect(Vertx vertx, String url, String token) {
    return subscriberContext("connect")
        .apply(
            Mono.defer(() -> connector(url).connect(vertx, url, token))
                .map(engine -> over(engine, "remote")))
        .doOnDiscard(Kv.class, cancelled -> cancelled.close().subscribe());
  }

  private static KvConnector connector(String url) {
    ServiceLoader<KvConnector> connectors =
        ServiceLoader.load(KvConnector.class, Stores.class.getClassLoader());
    return connectors.stream()
        .map(ServiceLoader.Provider::get)
        .filter(connector -> connector.accepts(url))
        .findFirst()
        .or(connectors::findFirst)
        .orElseThrow(
            () ->
                new KvException(
                    KvErrorCode.UNSUPPORTED,
                    "no KV Connect client on the class path (expected: io.kvreactive:kv-connect)"));
  }

  /** Returns a handle on an engine; closing it closes the engine. */
  public static Kv over(KvEngine engine, String name) {
    return new EngineKv(engine, new ValueMapper(), subscriberContext(name), engine.close());
  }

  /** Returns the context of signals of calls that have no store. */
  public static SubscriberContext subscriberContext(String name) {
    return new SubscriberContext(new CallbackThread("kv-callback-" + name));
  }

  private static Kv handle(Vertx vertx, String name, String id) {
    DeployedStore store = deployed(vertx, name);
    return store.handle(
        Mono.defer(
            () ->
                map(vertx).get(name) == store
                    ? undeploy(vertx, id)
                        .onErrorResume(IllegalStateException.class, undeployed -> store.close())
                    : store.close())); // undeployed otherwise, with its Vert.x instance: only wait
  }

  private static Mono<Void> undeploy(Vertx vertx, String id) {
    return Mono.create(sink -> vertx.undeploy(id).onComplete(done -> sink.success(), sink::error));
  }

  private static KvException asKvException(Throwable failure) {
    return failure instanceof KvException known
        ? known
        : new KvException(KvErrorCode.INTERNAL, "deploying the store failed: " + failure, failure);
  }

  /** Returns a handle of a deployed store. */
  public static Mono<Kv> named(Vertx vertx, String name) {
    return subscriberContext(name)
        .apply(Mono.fromSupplier(() -> deployed(vertx, name).handle(Mono.empty())));
  }

  private static DeployedStore deployed(Vertx vertx, String name) {
    DeployedStore deployed = map(vertx).get(name);
    if (deployed == null) {
      throw new KvException(
          KvErrorCode.NO_SUCH_STORE,
          "store \"%s\" is not deployed (expected: one of %s)"
              .formatted(name, map(vertx).keySet()));
    }
    return deployed;
  }

  /**
   * Registers a store.
   *
   * @throws KvException NAME_TAKEN
   */
  public static void register(Vertx vertx, String name, DeployedStore store) {
    if (map(vertx).putIfAbsent(name, store) != null) {
      throw new KvException(KvErrorCode.NAME_TAKEN, "store \"" + name + "\" already exists");
    }
  }

  public static void unregister(Vertx vertx, String name, DeployedStore store) {
    map(vertx).removeIfPresent(name, store);
  }
}
