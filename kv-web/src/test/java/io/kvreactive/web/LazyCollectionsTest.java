package io.kvreactive.web;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Kv;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Lazy collections on a server that allows them. */
@ExtendWith(VertxExtension.class)
class LazyCollectionsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PEOPLE = "/api/v1/collections/people";
  private static final String LAZY =
      """
      {"indexingPolicy": {"indexingMode": "Lazy", "includedPaths": [{"path": "/*"}]}}\
      """;
  private static Vertx vertx;

  @BeforeAll
  static void use(Vertx vertx) {
    LazyCollectionsTest.vertx = vertx;
  }

  private static HttpResponse<String> create(TestServer server) throws Exception {
    return server.send(
        "PUT", PEOPLE, LAZY, request -> request.header("Content-Type", "application/json"));
  }

  @Test
  void areRejectedUnlessAllowed() throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      HttpResponse<String> refused = create(server);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("INVALID_POLICY").contains("lazy");
    }
  }

  @Test
  void canBeAllowedInMountedRoutes() throws Exception {
    assertThat(mounted(RoutesOptions.DEFAULT).statusCode()).isEqualTo(400);
    HttpResponse<String> created = mounted(RoutesOptions.DEFAULT.withAllowLazy(true));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(created.body()).contains("\"indexingMode\":\"lazy\"");
  }

  private static HttpResponse<String> mounted(RoutesOptions options) throws Exception {
    Kv kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    Router router = Router.router(vertx);
    KvRoutes.mountUnauthenticated(vertx, router, kv, options);
    HttpServer http =
        vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1").await(60, SECONDS);
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.actualPort() + PEOPLE))
              .header("Content-Type", "application/json")
              .PUT(HttpRequest.BodyPublishers.ofString(LAZY))
              .build();
      return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    } finally {
      http.close().await(60, SECONDS);
      kv.close().block(TestServer.TIMEOUT);
    }
  }

  @Test
  void catchUpInTheBackground() throws Exception {
    ServerOptions options =
        ServerOptions.inMemory().withOperations(OperationsOptions.DEFAULT.withAllowLazy(true));
    try (TestServer server = TestServer.start(vertx, options)) {
      HttpResponse<String> created = create(server);
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      assertThat(created.body()).contains("\"indexingMode\":\"lazy\"");
      assertThat(server.post(PEOPLE + "/items", "{\"id\":\"ada\",\"age\":36}").statusCode())
          .isEqualTo(201);

      AtomicReference<JsonNode> answer = new AtomicReference<>();
      Conditions.await(
          () -> {
            String query = "{\"query\":\"SELECT * FROM c WHERE c.age = 36\",\"explain\":true}";
            answer.set(JSON.readTree(server.post(PEOPLE + "/query", query).body()));
            return answer.get().at("/plan/indexLag").asInt(-1) == 0
                && !answer.get().get("items").isEmpty();
          });
      assertThat(answer.get().at("/items/0/id").asText()).isEqualTo("ada");
    }
  }
}
