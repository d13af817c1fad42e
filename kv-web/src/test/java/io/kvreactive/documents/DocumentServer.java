package io.kvreactive.documents;

import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.Ports;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.net.BindException;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A server of the collections of a store, which can be killed and restarted on the same port. */
final class DocumentServer {
  /** For a server that was closed just before, whose port may not be free yet. */
  private static final Retry STILL_BOUND =
      Retry.fixedDelay(100, Duration.ofMillis(50)).filter(BindException.class::isInstance);

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
    server =
        TestStore.of(
            Mono.<HttpServer>create(
                    sink ->
                        store
                            .vertx()
                            .createHttpServer() // one that failed to listen cannot listen again
                            .requestHandler(router)
                            .listen(port, "127.0.0.1")
                            .onComplete(sink::success, sink::error))
                .retryWhen(STILL_BOUND));
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
