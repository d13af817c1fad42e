package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.Http2Peer;
import io.kvreactive.web.RawConnection;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@ExtendWith(VertxExtension.class)
class ServeProcessTest {
  @TempDir static Path shared;
  private static ServedProcess logging; // a server that logs JSON, for what tests only read
  @TempDir Path directory;

  @BeforeAll
  static void start() throws Exception {
    logging = ServedProcess.at(shared, "--log-format", "json");
  }

  @AfterAll
  static void stop() throws IOException {
    logging.close();
  }

  /** The token of clients gives no rights, and the token that the server made is kept. */
  @Test
  void printsTheGeneratedTokenAndThenItsAddress() throws Exception {
    Map<String, String> client = Map.of("KV_TOKEN", "token-of-a-client-that-may-only-read");
    String[] serve = {"serve", "--path", directory.toString(), "--port", "0"};
    Path file = directory.resolve("token");
    String made;
    try (KvProcess kv = KvProcess.start(client, serve)) {
      made = kv.line();
      assertThat(made).matches("access token: [A-Za-z0-9_-]{32}");
      String address = kv.line();
      assertThat(address).matches("listening on http://127\\.0\\.0\\.1:[0-9]+");
      String url = address.substring("listening on ".length());
      String token = made.substring("access token: ".length());
      assertThat(kv.line()).isEqualTo("sign in at " + url + "/#token=" + token);
      assertThat(kv.line()).isEqualTo("data in " + directory + ", the token in " + file);
      assertThat(file).content().isEqualTo(token + "\n");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(KV.with(client).run("count", "--url", url).exit()).isEqualTo(ExitCode.REFUSED);
      KvRunner owner = KV.with(Map.of("KV_URL", url, "KV_TOKEN_FILE", file.toString()));
      assertThat(owner.run("count").out()).isEqualTo("0");
      kv.process().toHandle().destroy();
      KvProcess.Result end = kv.end();
      assertThat(end.exit()).isZero();
      assertThat(end.out()).isEmpty();
      assertThat(end.err())
          .contains("KV_TOKEN is for clients")
          .contains("(expected for a server: KV_SERVER_TOKEN)");
    }
    try (KvProcess again = KvProcess.start(Map.of(), serve)) {
      assertThat(again.line()).isEqualTo(made);
    }
    try (KvProcess memory = KvProcess.start(Map.of(), "serve", "--memory", "--port", "0")) {
      assertThat(memory.line()).startsWith("access token: ").isNotEqualTo(made);
      assertThat(memory.line()).startsWith("listening on ");
      assertThat(memory.line()).startsWith("sign in at ");
      memory.process().toHandle().destroy();
      assertThat(memory.end().out()).isEmpty();
    }
    KvProcess.Result open =
        KV.with(client).run("serve", "--memory", "--host", "0.0.0.0", "--port", "0");
    assertThat(open.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(open.err()).contains("KV_SERVER_TOKEN; KV_TOKEN is for clients");
  }

  @Test
  void keepsEveryAnsweredCommitAndFinishesPendingRequestsAfterSigterm(Vertx vertx)
      throws Exception {
    Set<Integer> answered = new ConcurrentSkipListSet<>();
    try (ServedProcess server =
            ServedProcess.at(directory, "--drain-timeout", "5m", "--body-timeout", "1h");
        Socket slow = new Socket("127.0.0.1", server.port())) {
      beginPut(slow);
      awaitUnderWay(server);
      CountDownLatch some = new CountDownLatch(50);
      CompletableFuture<Void> client =
          CompletableFuture.runAsync(
              () -> {
                try {
                  int number = 0;
                  while (put(server, number).statusCode() == 200) {
                    answered.add(number++);
                    some.countDown();
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      some.await();
      server.terminate();
      client.join();
      HttpResponse<String> ready = server.send("GET", "/readyz", "");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).isEqualTo("{\"status\":\"draining\"}");
      assertThat(server.send("GET", "/livez", "").statusCode()).isEqualTo(200);
      HttpResponse<String> refused = server.send("GET", "/api/v1/info", "");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("GOING_AWAY").contains("\"retryable\":true");

      slow.getOutputStream().write("\"\"".getBytes(UTF_8));
      slow.getOutputStream().flush();
      assertThat(new BufferedReader(new InputStreamReader(slow.getInputStream(), UTF_8)).readLine())
          .isEqualTo("HTTP/1.1 200 OK");
      assertThat(server.process.end().exit()).isZero();
    }
    assertThat(answered).hasSizeGreaterThanOrEqualTo(50);
    assertThat(stored(vertx)).containsAll(answered);
  }

  private static HttpResponse<String> put(ServedProcess server, int number) throws Exception {
    return server.send("PUT", "/api/v1/entry?key=[%22k%22," + number + "]", "1");
  }

  private Set<Integer> stored(Vertx vertx) {
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(TestServer.TIMEOUT);
    Set<Integer> numbers = new TreeSet<>();
    kv.list(KvRange.prefix("k"))
        .doOnNext(entry -> numbers.add((int) entry.key().numberAt(1)))
        .blockLast(TestServer.TIMEOUT);
    kv.close().block(TestServer.TIMEOUT);
    return numbers;
  }

  /** A request whose last bytes are not sent yet. */
  private static void beginPut(Socket socket) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("PUT /api/v1/entry?key=[%22slow%22] HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    + "Authorization: Bearer "
                    + ServedProcess.TOKEN
                    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n")
                .getBytes(UTF_8));
    socket.getOutputStream().flush();
  }

  /** Waits until the server measures a request that it has not answered. */
  private static void awaitUnderWay(ServedProcess server) throws Exception {
    while (true) {
      String line =
          server
              .send("GET", "/metrics", "")
              .body()
              .lines()
              .filter(each -> each.startsWith("kv_requests_under_way "))
              .findFirst()
              .orElseThrow();
      if (line.endsWith(" 1.0")) {
        return;
      }
    }
  }

  @Test
  void exitsOnASecondSignalOrTheDrainTimeout() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory, "--drain-timeout", "200ms");
        Socket slow = new Socket("127.0.0.1", server.port())) {
      beginPut(slow);
      awaitUnderWay(server);
      server.terminate();
      KvProcess.Result end = server.process.end();
      assertThat(end.exit()).isZero();
      assertThat(end.err()).contains("1 requests were not answered within the drain timeout");
    }
    try (ServedProcess server =
            ServedProcess.at(directory, "--drain-timeout", "1h", "--body-timeout", "1h");
        Socket slow = new Socket("127.0.0.1", server.port())) {
      beginPut(slow);
      awaitUnderWay(server);
      server.terminate();
      while (server.send("GET", "/readyz", "").statusCode() == 200) {
        Thread.onSpinWait();
      }
      server.terminate();
      assertThat(server.process.end().exit()).isEqualTo(1);
    }
  }

  @Test
  void reportsAFailedStartInOneLineAndExitsWithOne(Vertx vertx) throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      KvProcess.Result inUse =
          KvProcess.run(
              "serve",
              "--memory",
              "--host",
              "0.0.0.0",
              "--token",
              "t",
              "--port",
              Integer.toString(taken.getLocalPort()));
      assertThat(inUse.exit()).isEqualTo(1);
      assertThat(inUse.err()).startsWith("kv: cannot listen on ").hasLineCount(1);
    }
    String[] serve = {"serve", "--port", "0", "--path", directory.toString()};
    Kv open = Kv.open(vertx, KvOptions.at(directory)).block(TestServer.TIMEOUT);
    KvProcess.Result locked = KV.run(serve);
    assertThat(locked.exit()).isEqualTo(1);
    assertThat(locked.err()).startsWith("kv: ").hasLineCount(1);
    assertThat(locked.out()).isEmpty();
    open.close().block(TestServer.TIMEOUT);
    Files.writeString(directory.resolve("store"), "not what it was");
    KvProcess.Result corrupt = KV.run(serve);
    assertThat(corrupt.exit()).isEqualTo(1);
    assertThat(corrupt.err()).startsWith("kv: ").contains("store").hasLineCount(1);
  }

  @Test
  void reportsAWrongConfigurationInOneLineAndExitsWithTwo() throws Exception {
    Path config = Files.writeString(directory.resolve("kv.yaml"), "memory: true\nprot: 1\n");
    KvProcess.Result unknown = KV.run("serve", "--config", config.toString());
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).startsWith("kv: " + config + ":2: unknown property \"prot\"");
    assertThat(unknown.err()).hasLineCount(1);

    KvProcess.Result open = KV.run("serve", "--memory", "--host", "0.0.0.0");
    assertThat(open.exit()).isEqualTo(2);
    assertThat(open.err()).contains("a token is required");

    KvProcess.Result flag = KvProcess.run("serve", "--port", "x");
    assertThat(flag.exit()).isEqualTo(2);
    assertThat(flag.err()).startsWith("kv: Invalid value for option '--port'");
  }

  /** A token of clients is mentioned unless it is that of the server. */
  @Test
  void logsNoRequestsOnATerminalUnlessTold() throws Exception {
    KvProcess.Result silent = onTerminal("another-token", "--metrics");
    assertThat(silent.out())
        .doesNotContain("/api/v1/info", "data in ")
        .contains("KV_TOKEN is for clients");
    KvProcess.Result told = onTerminal(ServedProcess.TOKEN, "--access-log");
    assertThat(told.out()).contains("/api/v1/info").doesNotContain("KV_TOKEN");
  }

  /** Starts a server on a terminal, sends it a request, and ends it. */
  private static KvProcess.Result onTerminal(String tokenOfClients, String option)
      throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script of util-linux");
    List<String> terminal = List.of("sh", "-c", "exec script -qec \"$*\" /dev/null", "sh");
    Map<String, String> environment =
        Map.of("KV_SERVER_TOKEN", ServedProcess.TOKEN, "KV_TOKEN", tokenOfClients);
    String[] serve = {"serve", "--memory", "--port", "0", option};
    try (ServedProcess server = ServedProcess.of(KvProcess.start(environment, terminal, serve))) {
      assertThat(server.send("GET", "/api/v1/info", "").statusCode()).isEqualTo(200);
      server.process.process().descendants().forEach(ProcessHandle::destroy);
      return server.process.end();
    }
  }

  @Test
  void logsOneJsonObjectPerLine() throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    logging.send("GET", "/readyz", "");
    try (Socket socket = new Socket("127.0.0.1", logging.port())) {
      socket
          .getOutputStream()
          .write(
              ("GET /api/v1/entry?key=[%22secret%22] HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                      + "Authorization: Bearer "
                      + ServedProcess.TOKEN
                      + "\r\nX-Request-Id: my-id\r\nConnection: close\r\ntraceparent: 00-"
                      + trace
                      + "-b7ad6b7169203331-01\r\n\r\n")
                  .getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).contains("traceresponse: 00-" + trace).contains("NO_SUCH_KEY");
    }
    JsonNode access = logged("my-id");
    String log = logging.process.err();
    assertThat(log).doesNotContain("DEBUG").doesNotContain("readyz").doesNotContain("secret");
    assertThat(access.get("loggerName").asText()).isEqualTo("access");
    assertThat(access.get("kvpList").toString())
        .contains("\"route\":\"/api/v1/entry\"")
        .contains("\"status\":\"404\"")
        .contains("\"token\":")
        .contains("\"traceId\":\"" + trace + "\"");
  }

  /** Waits until an event of the log has a text, and returns the event. All lines are events. */
  private static JsonNode logged(String text) throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<JsonNode> found = new ArrayList<>();
    Conditions.await(
        () -> {
          String log = logging.process.err();
          for (String line : log.substring(0, log.lastIndexOf('\n') + 1).lines().toList()) {
            JsonNode event = json.readTree(line);
            assertThat(event.isObject()).isTrue();
            if (event.toString().contains(text)) {
              found.add(event);
            }
          }
          return !found.isEmpty();
        });
    return found.get(0);
  }

  /** Waits until the metrics have a text, because a request is measured when it is answered. */
  private static String measured(String text) throws Exception {
    Conditions.await(() -> logging.send("GET", "/metrics", "").body().contains(text));
    return logging.send("GET", "/metrics", "").body();
  }

  @Test
  void exposesMetricsByStoreAndRoutePatternWithoutPaths() throws Exception {
    assertThat(logging.send("PUT", "/db/other/api/v1/entry?key=[%22a%22]", "1").statusCode())
        .isEqualTo(200);
    assertThat(measured("route=\"/db/:database/api/v1/entry\""))
        .contains("kv_commits_total{store=\"other\"}")
        .contains("jvm_memory_used_bytes")
        .contains("vertx_http_server_response_time_seconds_bucket")
        .doesNotContain("vertx_http_server_active_requests")
        .doesNotContain("/db/other");
  }

  @Test
  void namesRoutesOfKvConnectInMetrics() throws Exception {
    for (String path : List.of("/", "/v2/snapshot_read", "/db/default/v2/atomic_write")) {
      logging.send("POST", path, "{\"supportedVersions\":[3]}");
    }
    assertThat(measured("route=\"/\"")).doesNotContain("(?:", "[^/]", "route=\"/>");
    for (String route : List.of("/v2/snapshot_read", "/db/:database/v2/atomic_write")) {
      JsonNode access = logged("\"route\":\"" + route + "\"");
      assertThat(access.get("loggerName").asText()).isEqualTo("access");
    }
    assertThat(logging.process.err()).doesNotContain("(?:", "[^/]");
  }

  /** Each would be a permanent time series. */
  @Test
  void measuresUnknownMethodsAsOne() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (RawConnection raw = new RawConnection(logging.port())) {
        String head = raw.send("INVENTED" + i + " / HTTP/1.1", "Host: localhost", "").readHead();
        assertThat(head).startsWith("HTTP/1.1 4");
      }
      try (Http2Peer peer = new Http2Peer(logging.port())) {
        peer.request(1, true, "INVENTEDTOO" + i, "/").flush().next(Http2Peer.HEADERS);
      }
    }
    assertThat(measured("method=\"UNKNOWN\"")).doesNotContain("INVENTED");
  }
}
