package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Requests that create a database, and requests that only look up one. */
@ExtendWith(VertxExtension.class)
class DatabaseCreationTest {
  @TempDir Path directory;
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) {
    server = TestServer.start(vertx, ServerOptions.at(directory));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private HttpResponse<String> ask(String request) throws Exception {
    String[] parts = request.split(" ", 3);
    return server.send(
        parts[0],
        parts[1],
        parts.length < 3 ? "" : parts[2],
        r ->
            r.header(
                "Content-Type",
                parts[1].contains("/import") ? "application/x-ndjson" : "application/json"));
  }

  @Test
  void createsNoDatabaseForReads() throws Exception {
    for (String request :
        List.of(
            "GET /db/typo/api/v1/entry?key=%5B%22a%22%5D",
            "GET /db/typo/api/v1/info",
            "GET /db/typo/api/v1/entries",
            "GET /db/typo/api/v1/changes?waitMs=0",
            "GET /db/typo/api/v1/stream",
            "GET /db/typo/nowhere",
            "HEAD /db/typo/api/v1/info",
            "POST /db/typo/api/v1/entries/get {\"keys\":[[\"a\"]]}",
            "POST /db/typo/api/v1/queue/claim {\"queue\":\"q\"}",
            "POST /db/typo/api/v1/verify",
            "POST /db/typo/v2/snapshot_read",
            "DELETE /db/typo/api/v1/entry?key=%5B%22a%22%5D",
            "PUT /db/typo/api/v1/nowhere 1",
            "GET /db/typo/api/v1/collections",
            "GET /db/typo/api/v1/collections/c",
            "DELETE /db/typo/api/v1/collections/c",
            "PUT /db/typo/api/v1/collections/c/items/i {\"id\":\"i\"}",
            "POST /db/typo/api/v1/collections/c/items {\"id\":\"i\"}",
            "POST /db/typo/api/v1/collections/c/query {\"query\":\"SELECT * FROM c\"}")) {
      HttpResponse<String> answer = ask(request);
      assertThat(answer.statusCode()).as(request).isIn(400, 404);
      if (!request.startsWith("HEAD") && !request.contains("/v2/")) {
        assertThat(answer.body())
            .as(request)
            .contains("\"NO_SUCH_DATABASE\"")
            .contains("database typo does not exist; a first write creates it");
      }
      assertThat(directory.resolve("databases")).as(request).doesNotExist();
    }
  }

  @Test
  void createsADatabaseForWritesAndKvConnectClients() throws Exception {
    int created = 0;
    for (String request :
        List.of(
            "PUT /db/%s/api/v1/entry?key=%%5B%%22a%%22%%5D 1",
            "POST /db/%s/api/v1/atomic {\"mutations\":[]}",
            "POST /db/%s/api/v1/enqueue {\"value\":1}",
            "POST /db/%s/api/v1/import {\"key\":[\"a\"],\"value\":1}",
            "PUT /db/%s/api/v1/collections/c {}",
            "POST /db/%s {\"supportedVersions\":[3]}",
            "POST /db/%s/ {\"supportedVersions\":[3]}")) {
      String name = "orders" + ++created;
      assertThat(ask(request.formatted(name)).statusCode()).as(request).isLessThan(500);
      assertThat(directory.resolve("databases").resolve(name)).as(request).isDirectory();
      assertThat(ask("GET /db/" + name + "/api/v1/info").statusCode()).as(request).isEqualTo(200);
    }
  }

  @Test
  void listsDatabasesOfTheDirectoryAfterARestart(Vertx vertx) throws Exception {
    assertThat(ask("PUT /db/orders/api/v1/entry?key=%5B%22a%22%5D 1").statusCode()).isEqualTo(200);
    server.close();
    server = TestServer.start(vertx, ServerOptions.at(directory));
    assertThat(ask("GET /api/v1/databases").body())
        .isEqualTo("{\"databases\":[{\"name\":\"default\"},{\"name\":\"orders\"}]}");
  }

  @Test
  void createsNoDatabaseForInvalidWrites() throws Exception {
    for (String row :
        List.of(
            "400 PUT /db/orders/api/v1/entry?key=%5B%22a%22%5D {",
            "400 PUT /db/orders/api/v1/entry?key=a 1",
            "400 PUT /db/orders/api/v1/entry 1",
            "400 PUT /db/orders/api/v1/entry?key=%5B%22a%22%5D&expireIn=soon 1",
            "400 POST /db/orders/api/v1/atomic {\"mutations\":[{\"type\":\"none\"}]}",
            "400 POST /db/orders/api/v1/atomic []",
            "400 POST /db/orders/api/v1/enqueue {\"value\":1,\"delay\":\"x\"}",
            "200 POST /db/orders/api/v1/import {\"key\":[\"a\"]}",
            "400 POST /db/orders/api/v1/import?x=1 {\"key\":[\"a\"],\"value\":1}",
            "400 PUT /db/orders/api/v1/collections/c {",
            "400 PUT /db/orders/api/v1/collections/c {\"indexingPolicy\":{\"indexingMode\":\"no\"}}",
            "400 PUT /db/orders/api/v1/collections/c?x=1 {}",
            "400 POST /db/orders {\"supportedVersions\":[9]}",
            "400 POST /db/orders/ x")) {
      String request = row.substring(4);
      HttpResponse<String> answer = ask(request);
      assertThat(answer.statusCode())
          .as(request + answer.body())
          .isIn(Integer.parseInt(row.substring(0, 3)), 400);
      assertThat(answer.body())
          .as(request)
          .doesNotContain("INTERNAL")
          .containsAnyOf("BAD", "INVALID");
      assertThat(directory.resolve("databases")).as(request).doesNotExist();
      assertThat(ask("GET /db/orders/api/v1/info").statusCode()).as(request).isEqualTo(404);
    }
  }

  @Test
  void createsADatabaseForItsFirstWriteEvenALargeOne() throws Exception {
    assertThat(ask("PUT /db/a/api/v1/entry?key=%5B%22a%22%5D&expireIn=3600000 1").statusCode())
        .isEqualTo(200);
    String text = "\"" + "t".repeat(60_000) + "\"";
    assertThat(ask("PUT /db/b/api/v1/entry?key=%5B%22a%22%5D " + text).statusCode()).isEqualTo(200);
    String lines = "\uFEFF{\"key\":[\"a\"],\"value\":1}\n{\"key\":[\"b\"],\"value\":2}";
    assertThat(ask("POST /db/c/api/v1/import " + lines).body()).contains("\"entries\":2");
    for (String name : new String[] {"a", "b", "c"}) {
      assertThat(ask("GET /db/" + name + "/api/v1/entry?key=%5B%22a%22%5D").statusCode())
          .as(name)
          .isEqualTo(200);
    }
  }

  @Test
  void createsADatabaseForANewCollection() throws Exception {
    HttpResponse<String> created =
        server.send(
            "PUT",
            "/db/shop/api/v1/collections/products",
            "{}",
            r -> r.header("Content-Type", "application/json").header("If-None-Match", "*"));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(ask("GET /db/shop/api/v1/collections").body()).contains("\"products\"");
    assertThat(ask("GET /api/v1/collections").body()).doesNotContain("\"products\"");
  }

  @Test
  void reportsThatTheServerCreatesNoDatabases(Vertx vertx) throws Exception {
    server.close();
    server = TestServer.start(vertx, ServerOptions.at(directory).withCreateDatabases(false));
    assertThat(ask("PUT /db/orders/api/v1/entry?key=%5B%22a%22%5D 1").body())
        .contains("\"NO_SUCH_DATABASE\"")
        .contains("database orders does not exist");
  }
}
