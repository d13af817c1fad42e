package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.Ports;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** A server of the collections of a store, which can be killed and restarted on the same port. */
final class DocumentServer {
  private final TestStore store;
  private final int port;
  private HttpServer server;

  DocumentServer(TestStore store) {
    this(store, router -> {});
  }

  /**
   * Starts a server.
   *
   * @param first adds handlers before the routes
   */
  DocumentServer(TestStore store, Consumer<Router> first) {
    this.store = store;
    this.port = Ports.free();
    start(first);
  }

  void start() {
    start(router -> {});
  }

  private void start(Consumer<Router> first) {
    Router router = Router.router(store.vertx());
    first.accept(router);
    KvRoutes.mountUnauthenticated(
        store.vertx(), router, store.kv(), RoutesOptions.DEFAULT.withAllowLazy(true));
    server = store.vertx().createHttpServer().requestHandler(router);
    TestStore.of(
        Mono.<HttpServer>create(
            sink -> server.listen(port, "127.0.0.1").onComplete(sink::success, sink::error)));
  }

  /** Closes the port and all connections, like a killed process. */
  void stop() {
    Mono.create(sink -> server.close().onComplete(done -> sink.success(), sink::error)).block();
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  DocumentStore connect() {
    return connect(DocumentClientOptions.DEFAULT);
  }

  DocumentStore connect(DocumentClientOptions options) {
    return TestStore.of(DocumentStore.connect(store.vertx(), url(), options));
  }
}
