package io.kvreactive.web.remote;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Clients of stores in memory, each behind a separate server. */
final class RemoteStores {
  private static final Map<Kv, Mono<Void>> SERVERS = new ConcurrentHashMap<>();

  private RemoteStores() {}

  static Mono<Kv> open(Vertx vertx, KvOptions options) {
    return Kv.open(vertx, options).flatMap(store -> connect(vertx, store));
  }

  private static Mono<Kv> connect(Vertx vertx, Kv store) {
    Router router = Router.router(vertx);
    KvRoutes.mountUnauthenticated(vertx, router, store, RoutesOptions.DEFAULT);
    HttpServer server =
        vertx
            .createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(true))
            .requestHandler(router);
    Mono<Void> stop =
        Mono.<Void>create(sink -> server.close().onComplete(done -> sink.success(), sink::error))
            .then(store.close());
    return Mono.<HttpServer>create(
            sink -> server.listen(0, "127.0.0.1").onComplete(sink::success, sink::error))
        .flatMap(
            bound ->
                Kv.connect(vertx, "http://127.0.0.1:" + bound.actualPort(), "any-token-will-do")
                    .retryWhen(Retry.max(10).filter(RemoteStores::isUnavailable)))
        .doOnNext(connected -> SERVERS.put(connected, stop));
  }

  /** Returns true for errors of an unreachable server, which a stalled machine also causes. */
  private static boolean isUnavailable(Throwable failure) {
    return failure instanceof KvException known && known.code() == KvErrorCode.UNAVAILABLE;
  }

  /** Closes the client and its server. */
  static Mono<Void> close(Kv connected) {
    Mono<Void> stop = SERVERS.remove(connected);
    return connected.close().then(stop == null ? Mono.empty() : stop);
  }
}
