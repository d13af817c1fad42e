package io.kvreactive.web;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods that a path supports, and methods that it does not support. */
@ExtendWith(VertxExtension.class)
class KnownMethodsTest {
  private static TestServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PATCH  | /api/v1/entry              | DELETE, GET, HEAD, PUT",
        "PATCH  | /db/default/api/v1/entries | DELETE, GET, HEAD",
        "GET    | /api/v1/atomic             | POST",
        "POST   | /api/v1/changes            | GET",
        "HEAD   | /api/v1/export             | GET",
        "PUT    | /api/v1/tokens             | GET, HEAD, POST",
        "GET    | /api/v1/tokens/app         | DELETE",
        "GET    | /v2/snapshot_read          | POST",
        "DELETE | /livez                     | GET, HEAD",
      })
  void listsTheAllowedMethodsWhenRejectingOthers(String method, String path, String allowed)
      throws Exception {
    HttpResponse<String> answer = server.send(method, path, "", r -> r);
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains(allowed);
    assertThat(answer.body())
        .contains(method.equals("HEAD") ? "" : "\"code\":\"METHOD_NOT_ALLOWED\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PATCH  | /api/v1/entry              | DELETE, GET, HEAD, PUT",
        "PATCH  | /db/default/api/v1/entries | DELETE, GET, HEAD",
        "GET    | /v2/snapshot_read          | POST",
        "DELETE | /livez                     | GET, HEAD",
      })
  void listsTheAllowedMethodsForMountedRoutes(
      String method, String path, String allowed, Vertx vertx) throws Exception {
    Kv kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    Router inner = Router.router(vertx);
    KvRoutes.mountUnauthenticated(vertx, inner, kv, RoutesOptions.DEFAULT);
    Router outer = Router.router(vertx);
    outer.route("/kv*").subRouter(inner);
    HttpServer http =
        vertx.createHttpServer().requestHandler(outer).listen(0, "127.0.0.1").await(60, SECONDS);
    try {
      URI root = URI.create("http://127.0.0.1:" + http.actualPort() + "/kv");
      HttpResponse<String> answer = ask(method, root + path);
      assertThat(answer.statusCode()).isEqualTo(405);
      assertThat(answer.headers().firstValue("Allow")).contains(allowed);
      assertThat(answer.body()).contains("METHOD_NOT_ALLOWED");
      HttpResponse<String> nowhere = ask(method, root + "/nowhere");
      assertThat(nowhere.statusCode()).isEqualTo(404);
      assertThat(nowhere.body()).contains("\"code\":\"NOT_FOUND\"");
    } finally {
      http.close().await(60, SECONDS);
      kv.close().block(TestServer.TIMEOUT);
    }
  }

  private static HttpResponse<String> ask(String method, String uri) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/livez",
        "/readyz",
        "/openapi.json",
        "/",
        "/api/v1/info",
        "/api/v1/entries",
        "/api/v1/count",
        "/api/v1/entry?key=%5B%22none%22%5D",
        "/db/default/api/v1/stats",
      })
  void answersHeadLikeGetWithoutTheBody(String path) throws Exception {
    HttpResponse<String> get = server.get(path);
    HttpResponse<String> head = server.send("HEAD", path, "", r -> r);
    assertThat(head.statusCode()).isEqualTo(get.statusCode());
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Type"))
        .isEqualTo(get.headers().firstValue("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "application/x-ndjson"})
  void keepsTheConnectionUsableAfterHead(String type) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      String answers =
          raw.send(
                  "HEAD /api/v1/entries HTTP/1.1",
                  "Host: localhost",
                  "Accept: " + type,
                  "Authorization: Bearer " + TestServer.TOKEN,
                  "",
                  "GET /livez HTTP/1.1",
                  "Host: localhost",
                  "Connection: close",
                  "")
              .readToEnd();
      assertThat(answers).startsWith("HTTP/1.1 200").containsPattern("\r\n\r\nHTTP/1.1 200 OK");
    }
  }
}
