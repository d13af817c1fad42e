package io.kvreactive.http.client;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The owner of a client, with the event loop of its state. The client ends if the verticle is
 * undeployed or its Vert.x is closed.
 */
public final class ClientVerticle<C extends ClientVerticle.Client> extends VerticleBase {
  /** The connections of a client. */
  public interface Client {
    /** Closes the connections. Called once, on the event loop of the client. */
    Future<?> end();
  }

  /** Creates a client on its event loop. */
  public interface Factory<C> {
    /**
     * @param close ends the client and undeploys its verticle; completes when both are done;
     *     idempotent
     */
    C create(Vertx vertx, ClientEventLoop loop, Mono<Void> close);
  }

  private final Factory<C> factory;
  private @Nullable C client;

  private ClientVerticle(Factory<C> factory) {
    this.factory = factory;
  }

  /**
   * Creates a client, which is closed unless it opens.
   *
   * @param open emits the opened client when its server has answered
   */
  public static <C extends Client, T> Mono<T> open(
      Vertx vertx, Factory<C> factory, Function<C, Mono<T>> open) {
    return Mono.defer(
        () -> {
          ClientVerticle<C> verticle = new ClientVerticle<>(factory);
          return Mono.<C>create(
                  sink -> {
                    Future<C> deployed =
                        vertx.deployVerticle(verticle).map(id -> verticle.client());
                    sink.onCancel(() -> deployed.onSuccess(c -> verticle.close().subscribe()));
                    deployed.onComplete(sink::success, sink::error);
                  })
              .flatMap(
                  client ->
                      open.apply(client)
                          .onErrorResume(
                              e -> verticle.close().onErrorComplete().then(Mono.error(e)))
                          .doOnCancel(() -> verticle.close().subscribe()));
        });
  }

  private C client() {
    if (client == null) {
      throw new IllegalStateException("not started");
    }
    return client;
  }

  @Override
  public Future<?> start() {
    client = factory.create(vertx, new ClientEventLoop(context), close());
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return client().end();
  }

  private Mono<Void> close() {
    return Mono.create(
        sink ->
            vertx
                .undeploy(context.deploymentID())
                .onComplete(done -> sink.success(), undeployed -> sink.success()));
  }
}
