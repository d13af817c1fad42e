package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.TokenFile;
import io.kvreactive.web.internal.auth.TokenScope;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Attempts forbidden access with each kind of token on each kind of route. */
@ExtendWith(VertxExtension.class)
class SecurityWallsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;
  private TestServer server;
  private TokenFile tokens;
  private String databaseId;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    LogOf.begin();
    ServerOptions options = ServerOptions.at(directory);
    server =
        TestServer.start(
            vertx,
            options
                .withSecurity(options.security().withReloadEvery(Duration.ofMillis(20)))
                .withLimits(LimitOptions.DEFAULT.withFailuresPerMinute(0))
                .withRoutes(
                    RoutesOptions.DEFAULT.withBackupDirectory(directory.resolve("backups"))));
    tokens = new TokenFile(directory.resolve(ServerOptions.TOKENS_FILE));
    String metadata = server.post("/", "{\"supportedVersions\":[3]}").body();
    databaseId = JSON.readTree(metadata).get("databaseId").asText();
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** A route and its required access. Paths of databases begin with {@code {db}}. */
  private record Route(String method, String path, String body, AccessRight needed) {
    boolean ofDatabase() {
      return path.startsWith("{db}");
    }

    String in(String base) {
      return path.replace("{db}", base);
    }
  }

  private static final List<Route> ROUTES =
      List.of(
          new Route("GET", "/api/v1/tokens", "", AccessRight.ADMIN),
          new Route(
              "POST",
              "/api/v1/tokens",
              "{\"name\":\"x\",\"access\":[\"READ\"]}",
              AccessRight.ADMIN),
          new Route("DELETE", "/api/v1/tokens/none", "", AccessRight.ADMIN),
          new Route("POST", "/api/v1/tokens/none/rotate", "", AccessRight.ADMIN),
          new Route("GET", "{db}/api/v1/entry?key=%5B%22a%22%5D", "", AccessRight.READ),
          new Route("PUT", "{db}/api/v1/entry?key=%5B%22a%22%5D", "1", AccessRight.WRITE),
          new Route("DELETE", "{db}/api/v1/entry?key=%5B%22a%22%5D", "", AccessRight.WRITE),
          new Route("GET", "{db}/api/v1/entries", "", AccessRight.READ),
          new Route("DELETE", "{db}/api/v1/entries?prefix=%5B%22a%22%5D", "", AccessRight.WRITE),
          new Route("POST", "{db}/api/v1/entries/get", "{\"keys\":[[\"a\"]]}", AccessRight.READ),
          new Route("GET", "{db}/api/v1/count", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/tree", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/export", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/changes?waitMs=0", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/stats", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/queues", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/stream", "", AccessRight.READ),
          new Route(
              "POST",
              "{db}/api/v1/atomic",
              "{\"mutations\":[{\"type\":\"set\",\"key\":[\"a\"],\"value\":1}]}",
              AccessRight.WRITE),
          new Route("POST", "{db}/api/v1/enqueue", "{\"value\":1}", AccessRight.WRITE),
          new Route("GET", "{db}/api/v1/collections", "", AccessRight.READ),
          new Route("GET", "{db}/api/v1/collections/a", "", AccessRight.READ),
          new Route("PUT", "{db}/api/v1/collections/a", "{}", AccessRight.ADMIN),
          new Route("DELETE", "{db}/api/v1/collections/none", "", AccessRight.ADMIN),
          new Route("GET", "{db}/api/v1/collections/none/transformation", "", AccessRight.READ),
          new Route("POST", "{db}/api/v1/collections/a/items", "{\"id\":\"1\"}", AccessRight.WRITE),
          new Route("GET", "{db}/api/v1/collections/a/items/1", "", AccessRight.READ),
          new Route("PUT", "{db}/api/v1/collections/a/items/1", "{}", AccessRight.WRITE),
          new Route(
              "PATCH",
              "{db}/api/v1/collections/a/items/1",
              "{\"operations\":[{\"op\":\"set\",\"path\":\"/a\",\"value\":1}]}",
              AccessRight.WRITE),
          new Route("DELETE", "{db}/api/v1/collections/a/items/1", "", AccessRight.WRITE),
          new Route(
              "POST",
              "{db}/api/v1/collections/a/query",
              "{\"query\":\"SELECT * FROM c\"}",
              AccessRight.READ),
          new Route("POST", "{db}/api/v1/backup", "{\"path\":\"b\"}", AccessRight.ADMIN),
          new Route("POST", "{db}/api/v1/compact", "", AccessRight.ADMIN),
          new Route("POST", "{db}/api/v1/verify", "", AccessRight.ADMIN),
          new Route(
              "POST",
              "{db}/v2/snapshot_read",
              "\n\f\n\003\002a\000\022\003\002a\001\030\001",
              AccessRight.READ),
          new Route(
              "POST",
              "{db}/v2/atomic_write",
              "\022\016\n\003\002a\000\022\005\n\001A\020\003\030\001",
              AccessRight.WRITE),
          new Route("POST", "{db}/v2/watch", "\n\005\n\003\002a\000", AccessRight.READ));

  private HttpResponse<String> ask(Route route, String base, String token) throws Exception {
    return send(route.method(), route.in(base), route.body(), token);
  }

  private HttpResponse<String> send(String method, String path, String body, String token)
      throws Exception {
    return server.send(
        method,
        path,
        body,
        request -> {
          request.setHeader("Content-Type", "application/json");
          request.setHeader("x-denokv-version", "3");
          request.setHeader("x-denokv-database-id", databaseId);
          return request.setHeader("Authorization", "Bearer " + token);
        });
  }

  private HttpResponse<String> list(String token) throws Exception {
    return send("GET", "/api/v1/tokens", "", token);
  }

  /** KV Connect answers with text, other interfaces with a problem. */
  private static String code(HttpResponse<String> response) throws Exception {
    if (response.uri().getPath().contains("/v2/")) {
      return response.body().split(":", 2)[0];
    }
    JsonNode problem = JSON.readTree(response.body());
    assertThat(problem.get("status").asInt()).isEqualTo(response.statusCode());
    return problem.get("code").asText();
  }

  @TestFactory
  Stream<DynamicTest> checksEveryScopeAtEveryRoute() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (int bits = 1; bits < 8; bits++) {
      Set<AccessRight> access = EnumSet.noneOf(AccessRight.class);
      for (AccessRight one : AccessRight.values()) {
        if ((bits & (1 << one.ordinal())) != 0) {
          access.add(one);
        }
      }
      String secret = create("t" + bits, access, Set.of());
      for (Route route : ROUTES) {
        tests.add(
            DynamicTest.dynamicTest(
                access + " at " + route.method() + " " + route.path(),
                () -> crosses(route, secret, access.contains(route.needed()))));
      }
    }
    return tests.stream();
  }

  private String create(String name, Set<AccessRight> access, Set<String> databases)
      throws Exception {
    String secret =
        tokens.create(name, new TokenScope(access, List.of(), databases, null)).secret();
    Conditions.await(() -> list(secret).statusCode() != 401);
    return secret;
  }

  private void crosses(Route route, String secret, boolean may) throws Exception {
    for (String base : route.ofDatabase() ? List.of("", "/db/default") : List.of("")) {
      if (may && route.path().endsWith("/watch")) {
        continue; // endless answer
      }
      HttpResponse<String> response = ask(route, base, secret);
      if (may) {
        assertThat(response.statusCode()).isNotIn(401, 403).isLessThan(500);
      } else {
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(code(response)).isEqualTo("FORBIDDEN");
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> rejectsRequestsWithoutToken() {
    return ROUTES.stream()
        .flatMap(
            route ->
                Stream.of("", "wrong", "Basic abc", TestServer.TOKEN + "x")
                    .map(
                        token ->
                            DynamicTest.dynamicTest(
                                "\"" + token + "\" at " + route.method() + " " + route.path(),
                                () -> {
                                  HttpResponse<String> response = ask(route, "", token);
                                  assertThat(response.statusCode()).isEqualTo(401);
                                  assertThat(code(response)).isEqualTo("UNAUTHENTICATED");
                                  assertThat(response.headers().firstValue("WWW-Authenticate"))
                                      .contains("Bearer");
                                })));
  }

  @Test
  void limitsATokenToItsDatabase() throws Exception {
    server.post("/db/other", "{\"supportedVersions\":[3]}");
    Set<AccessRight> all = EnumSet.complementOf(EnumSet.of(AccessRight.METRICS)); // of the server
    String secret = create("one", all, Set.of("other"));
    assertThat(send("GET", "/db/other/nowhere", "", secret).statusCode()).isEqualTo(404);
    assertThat(send("GET", "/nowhere", "", secret).statusCode()).isEqualTo(403);
    assertThat(send("GET", "/db/default/nowhere", "", secret).statusCode()).isEqualTo(403);
    assertThat(send("GET", "/db/third/nowhere", "", secret).statusCode()).isEqualTo(403);
    assertThat(list(secret).statusCode()).as("tokens are of the server").isEqualTo(403);
  }

  @Test
  void letsOnlyAdministratorsCreateDatabases() throws Exception {
    String secret = create("rw", EnumSet.of(AccessRight.READ, AccessRight.WRITE), Set.of());
    String path = "/db/new/api/v1/entry?key=%5B%22a%22%5D";
    assertThat(send("PUT", path, "1", secret).statusCode()).isEqualTo(403);
    assertThat(send("POST", "/db/new", "{\"supportedVersions\":[3]}", secret).statusCode())
        .isEqualTo(403);
    assertThat(directory.resolve("databases")).doesNotExist();
  }

  @Test
  void rejectsPathsOutsideTheDirectory() throws Exception {
    for (String path :
        List.of(
            "/db/../nowhere",
            "/db/%2e%2e/nowhere",
            "/db/%2e%2e%2fetc/nowhere",
            "/db/a%2Fb/nowhere",
            "/db/a%00b/nowhere",
            "/db/..%5c..%5cx/nowhere",
            "/db/%c0%ae%c0%ae/nowhere",
            "/db/A/nowhere",
            "/db/a%0d%0aX-Evil:%201/nowhere",
            "//db/x/../../../etc/passwd",
            "/db/%zz/nowhere")) {
      try (RawConnection raw = new RawConnection(server.port())) {
        String answer =
            raw.send(
                    "GET " + path + " HTTP/1.1",
                    "Host: localhost",
                    "Authorization: Bearer " + TestServer.TOKEN,
                    "Connection: close",
                    "")
                .readToEnd();
        assertThat(answer).as(path).matches("(?s)HTTP/1.1 40[04] .*");
        assertThat(answer.toLowerCase()).as(path).doesNotContain("\r\nx-evil");
      }
      assertThat(directory.resolve("databases")).as(path).doesNotExist();
    }
  }

  @Test
  void addsAndRemovesTokensWithoutRestart() throws Exception {
    String secret = tokens.create("ci", TokenScope.all()).secret();
    Conditions.await(() -> list(secret).statusCode() == 200);
    String next = tokens.rotate("ci", Duration.ofHours(1)).secret();
    Conditions.await(() -> list(next).statusCode() == 200);
    assertThat(list(secret).statusCode()).as("within the grace").isEqualTo(200);
    tokens.revoke("ci");
    Conditions.await(() -> list(next).statusCode() == 401);
    assertThat(list(secret).statusCode()).isEqualTo(401);
  }

  @Test
  void keepsTheOldTokensWhenTheFileIsMalformed() throws Exception {
    String secret = create("ci", EnumSet.allOf(AccessRight.class), Set.of());
    String good = java.nio.file.Files.readString(tokens.path());
    java.nio.file.Files.writeString(tokens.path(), "{\"version\":1,\"tokens\":[");
    assertThat(list(secret).statusCode()).as("the list is of the file").isEqualTo(500);
    Conditions.await(() -> LogOf.errors().anyMatch(line -> line.contains("remains in effect")));
    assertThat(send("GET", "/nowhere", "", secret).statusCode()).isEqualTo(404);
    java.nio.file.Files.writeString(tokens.path(), good);
    Conditions.await(() -> list(secret).statusCode() == 200);
  }

  @Test
  void rejectsExpiredTokens() throws Exception {
    Instant end = Instant.now().plusSeconds(1);
    TokenScope brief = new TokenScope(EnumSet.allOf(AccessRight.class), List.of(), Set.of(), end);
    String secret = tokens.create("brief", brief).secret();
    Conditions.await(
        () -> {
          Instant before = Instant.now();
          HttpResponse<String> answer = list(secret);
          if (answer.statusCode() == 200) {
            assertThat(before).isBefore(end);
            return false;
          }
          assertThat(answer.statusCode()).isEqualTo(401); // not known yet, or expired
          boolean ended = answer.body().contains("has expired");
          assertThat(ended && Instant.now().isBefore(end)).as("ended before its time").isFalse();
          return ended;
        });
  }

  private Instant toldEnd(String name, Instant end) throws Exception {
    String scope = "{\"name\":\"%s\",\"access\":[\"READ\"],\"expiresAt\":\"%s\"}";
    String made = server.post("/api/v1/tokens", scope.formatted(name, end)).body();
    String secret = JSON.readTree(made).get("token").asText();
    HttpResponse<String> metadata =
        server.send("POST", "/", "", r -> r.setHeader("Authorization", "Bearer " + secret));
    return Instant.parse(JSON.readTree(metadata.body()).get("expiresAt").asText());
  }

  /** Otherwise, clients of KV Connect would repeat requests while the server stops. */
  @Test
  void tellsClientsTheExpiryOfATokenButAtLeastAnHour() throws Exception {
    Instant hour = Instant.now().plusSeconds(3600);
    assertThat(toldEnd("soon", Instant.now().plusSeconds(120)))
        .isBetween(hour, Instant.now().plusSeconds(2 * 3600));
    Instant later = hour.plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS);
    assertThat(toldEnd("later", later)).isEqualTo(later);
  }

  @Test
  void letsAdministratorsManageTokens() throws Exception {
    HttpResponse<String> made =
        server.post(
            "/api/v1/tokens",
            "{\"name\":\"app\",\"access\":[\"READ\",\"WRITE\"],\"prefixes\":[[\"app\"]],"
                + "\"databases\":[\"default\"],\"expiresAt\":\"2099-01-01T00:00:00Z\"}");
    assertThat(made.statusCode()).isEqualTo(201);
    String secret = JSON.readTree(made.body()).get("token").asText();
    assertThat(list(secret).statusCode()).as("in force at once").isEqualTo(403);
    assertThat(made.headers().firstValue("Cache-Control")).contains("no-store");

    assertThat(server.post("/api/v1/tokens", made.body()).statusCode()).isEqualTo(400);
    assertThat(
            server.post("/api/v1/tokens", "{\"name\":\"app\",\"access\":[\"READ\"]}").statusCode())
        .isEqualTo(409);

    HttpResponse<String> listed = server.get("/api/v1/tokens");
    JsonNode one = JSON.readTree(listed.body()).get("tokens").get(0);
    Set<String> shown = new TreeSet<>();
    one.fieldNames().forEachRemaining(shown::add);
    assertThat(shown)
        .containsExactly("access", "createdAt", "databases", "expiresAt", "name", "prefixes");

    HttpResponse<String> rotated = server.post("/api/v1/tokens/app/rotate", "{\"graceMs\":0}");
    assertThat(rotated.statusCode()).isEqualTo(200);
    assertThat(list(secret).statusCode()).isEqualTo(401);
    for (String bad : List.of("{\"graceMs\":-1}", "{\"grace\":1}", "[]")) {
      assertThat(server.post("/api/v1/tokens/app/rotate", bad).statusCode()).as(bad).isEqualTo(400);
    }
    assertThat(server.send("POST", "/api/v1/tokens/app/rotate", "", r -> r).statusCode())
        .isEqualTo(200);
    assertThat(server.send("DELETE", "/api/v1/tokens/app?x=1", "", r -> r).statusCode())
        .isEqualTo(400);
    assertThat(server.get("/api/v1/tokens?x=1").statusCode()).isEqualTo(400);
    for (String path : List.of("/api/v1/tokens", "/api/v1/tokens/app/rotate")) {
      assertThat(server.send("POST", path, "{}", r -> r.header("Content-Type", "text/plain")))
          .extracting(HttpResponse::statusCode)
          .isEqualTo(415);
    }
    assertThat(server.send("DELETE", "/api/v1/tokens/app", "", r -> r).statusCode()).isEqualTo(204);
    assertThat(server.send("DELETE", "/api/v1/tokens/app", "", r -> r).statusCode()).isEqualTo(404);
  }

  @Test
  void rejectsInvalidTokens() throws Exception {
    for (String body :
        List.of(
            "",
            "[]",
            "{\"name\":\"x\"}",
            "{\"name\":\"x\",\"access\":[\"ROOT\"]}",
            "{\"name\":\"x\",\"access\":\"READ\"}",
            "{\"name\":\"x\",\"acess\":[\"READ\"]}",
            "{\"name\":\"x y\",\"access\":[\"READ\"]}",
            "{\"name\":\"x\",\"access\":[\"ADMIN\"],\"prefixes\":[[\"a\"]]}",
            "{\"name\":\"x\",\"access\":[\"READ\"],\"prefixes\":[[]]}",
            "{\"name\":\"x\",\"access\":[\"READ\"],\"expiresAt\":\"tomorrow\"}")) {
      HttpResponse<String> response = server.post("/api/v1/tokens", body);
      assertThat(response.statusCode()).as(body).isEqualTo(400);
      assertThat(tokens.read()).as(body).isEmpty();
    }
  }

  @Test
  void rejectsLargeBodies() throws Exception {
    HttpResponse<String> response = server.post("/api/v1/tokens", " ".repeat(300 << 10));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(code(response)).isEqualTo("PAYLOAD_TOO_LARGE");
  }

  @Test
  void sendsSecurityHeadersToBrowsers() throws Exception {
    for (String path : List.of("/livez", "/nowhere", "/api/v1/tokens")) {
      var headers = server.get(path).headers();
      assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
      assertThat(headers.firstValue("Content-Security-Policy").orElseThrow())
          .contains("default-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(headers.firstValue("Strict-Transport-Security")).isEmpty();
    }
  }
}
