package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RequestPredicates.PUT;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.VertxBridge;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

class WebFluxTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private static RouterFunction<ServerResponse> routes(Kv kv) {
    return RouterFunctions.route(
            PUT("/users/{id}"),
            request ->
                request
                    .bodyToMono(String.class)
                    .flatMap(name -> kv.set(KvKey.of("users", request.pathVariable("id")), name))
                    .flatMap(stored -> ServerResponse.noContent().build()))
        .andRoute(
            GET("/users"),
            request ->
                ServerResponse.ok()
                    .contentType(MediaType.TEXT_EVENT_STREAM)
                    .body(
                        kv.list(KvRange.prefix("users"), String.class).map(entry -> entry.value()),
                        String.class));
  }

  @Test
  void servesAStoreFromTheThreadsOfReactorNetty() {
    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(TIMEOUT);
    DisposableServer server =
        HttpServer.create()
            .host("127.0.0.1")
            .handle(new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(routes(kv))))
            .bindNow();
    try {
      WebClient client = WebClient.create("http://127.0.0.1:" + server.port());
      Flux.range(0, 200)
          .flatMap(
              i ->
                  client
                      .put()
                      .uri("/users/{id}", "%03d".formatted(i))
                      .body(BodyInserters.fromValue("user" + i))
                      .retrieve()
                      .toBodilessEntity())
          .then()
          .block(TIMEOUT);
      List<String> users =
          client.get().uri("/users").retrieve().bodyToFlux(String.class).collectList().block(TIMEOUT);
      assertEquals(200, users.size());
      assertEquals("user199", users.get(199));
    } finally {
      server.disposeNow();
      kv.close().block(TIMEOUT);
      VertxBridge.mono(vertx::close).block(TIMEOUT);
    }
  }
}
