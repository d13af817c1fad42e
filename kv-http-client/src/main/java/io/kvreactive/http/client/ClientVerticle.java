package io.kvreactive.http.client;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The owner of a client's connections, with the context of its state. They are closed if the
 * verticle is undeployed or its Vert.x is closed: {@link #stop} must close them.
 */
public abstract class ClientVerticle extends VerticleBase {
  /**
   * Deploys a verticle, and undeploys it if the client does not open.
   *
   * @param open the source of a client whose server has answered
   */
  protected static <V extends ClientVerticle, C> Mono<C> open(
      Vertx vertx, V verticle, Function<V, Mono<C>> open) {
    return Mono.<V>create(
            sink -> {
              Future<String> deployed = vertx.deployVerticle(verticle);
              sink.onCancel(() -> deployed.onSuccess(id -> verticle.close().subscribe()));
              deployed.onComplete(id -> sink.success(verticle), sink::error);
            })
        .flatMap(
            deployed ->
                open.apply(deployed)
                    .onErrorResume(
                        failed -> deployed.close().onErrorComplete().then(Mono.error(failed)))
                    .doOnCancel(() -> deployed.close().subscribe()));
  }

  @Override
  public abstract Future<?> stop();

  /** Undeploys this verticle. Completes when the connections are closed. Idempotent. */
  public final Mono<Void> close() {
    return Mono.create(
        sink ->
            vertx
                .undeploy(context.deploymentID())
                .onComplete(done -> sink.success(), undeployed -> sink.success()));
  }
}
