package io.kvreactive.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.web.Conditions;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@ExtendWith(VertxExtension.class)
class ServeProcessTest {
  @TempDir Path directory;

  @Test
  void printsTheGeneratedTokenAndThenItsAddress() throws Exception {
    try (KvProcess kv = KvProcess.start(Map.of(), "serve", "--memory", "--port", "0")) {
      String token = kv.line();
      assertThat(token).matches("access token: [A-Za-z0-9_-]{32}");
      String address = kv.line();
      assertThat(address).matches("listening on http://127\\.0\\.0\\.1:[0-9]+");
      assertThat(kv.line())
          .isEqualTo(
              address.replace("listening on", "sign in at")
                  + "/#token="
                  + token.substring("access token: ".length()));
      kv.process().toHandle().destroy();
      KvProcess.Result end = kv.end();
      assertThat(end.exit()).isZero();
      assertThat(end.out()).isEmpty();
    }
  }

  @Test
  void givesNoRightsToTheTokenOfClients() throws Exception {
    Map<String, String> client = Map.of("KV_TOKEN", "token-of-a-client-that-may-only-read");
    try (KvProcess kv =
        KvProcess.start(client, "serve", "--path", directory.toString(), "--port", "0")) {
      assertThat(kv.line()).matches("access token: [A-Za-z0-9_-]{32}");
      try (ServedProcess server = ServedProcess.of(kv)) {
        KvProcess.Result refused =
            KvProcess.run(
                Map.of("KV_URL", server.url, "KV_TOKEN", client.get("KV_TOKEN")), "", "count");
        assertThat(refused.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(
                KvProcess.run(
                        Map.of("KV_URL", server.url, "KV_TOKEN_FILE", directory + "/token"),
                        "",
                        "count")
                    .exit())
            .isZero();
        server.terminate();
        assertThat(kv.end().err())
            .contains("KV_TOKEN is for clients")
            .contains("(expected for a server: KV_SERVER_TOKEN)");
      }
    }
    Map<String, String> both = Map.of("KV_SERVER_TOKEN", ServedProcess.TOKEN, "KV_TOKEN", "other");
    assertThat(startedWith(both)).contains("KV_TOKEN is for clients");
    Map<String, String> equal =
        Map.of("KV_SERVER_TOKEN", ServedProcess.TOKEN, "KV_TOKEN", ServedProcess.TOKEN);
    assertThat(startedWith(equal)).doesNotContain("KV_TOKEN");
    KvProcess.Result open =
        KvProcess.run(client, "", "serve", "--memory", "--host", "0.0.0.0", "--port", "0");
    assertThat(open.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(open.err()).contains("KV_SERVER_TOKEN; KV_TOKEN is for clients");
  }

  /** Starts a server that accepts the token of tests, ends it and returns its log. */
  private static String startedWith(Map<String, String> environment) throws Exception {
    try (ServedProcess server =
        ServedProcess.of(KvProcess.start(environment, "serve", "--memory", "--port", "0"))) {
      assertThat(server.send("GET", "/api/v1/info", "").statusCode()).isEqualTo(200);
      server.terminate();
      return server.process.end().err();
    }
  }

  @Test
  void keepsEveryAnsweredCommitAfterSigterm(Vertx vertx) throws Exception {
    Set<Integer> answered = new ConcurrentSkipListSet<>();
    try (ServedProcess server = ServedProcess.at(directory)) {
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
                } catch (IOException gone) {
                  // the server has ended
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      some.await();
      server.terminate();
      client.join();
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

  @Test
  void finishesPendingRequestsAndReportsNotReady() throws Exception {
    try (ServedProcess server =
            ServedProcess.at(directory, "--drain-timeout", "5m", "--body-timeout", "1h");
        Socket slow = new Socket("127.0.0.1", server.port())) {
      beginPut(slow);
      awaitUnderWay(server);
      server.terminate();
      HttpResponse<String> ready = server.send("GET", "/readyz", "");
      while (ready.statusCode() == 200) {
        ready = server.send("GET", "/readyz", "");
      }
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).isEqualTo("{\"status\":\"draining\"}");
      assertThat(server.send("GET", "/livez", "").statusCode()).isEqualTo(200);

      // "draining" is also reported just before requests are rejected
      HttpResponse<String> refused = server.send("GET", "/api/v1/info", "");
      while (refused.statusCode() == 200) {
        refused = server.send("GET", "/api/v1/info", "");
      }
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("GOING_AWAY").contains("\"retryable\":true");

      slow.getOutputStream().write("\"\"".getBytes(UTF_8));
      slow.getOutputStream().flush();
      assertThat(new BufferedReader(new InputStreamReader(slow.getInputStream(), UTF_8)).readLine())
          .isEqualTo("HTTP/1.1 200 OK");
      assertThat(server.process.end().exit()).isZero();
    }
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
  void reportsAFailedStartInOneLineAndExitsWithOne() throws Exception {
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
    try (ServedProcess server = ServedProcess.at(directory)) {
      assertThat(server.url).startsWith("http://");
      KvProcess.Result locked =
          KvProcess.run("serve", "--port", "0", "--path", directory.toString());
      assertThat(locked.exit()).isEqualTo(1);
      assertThat(locked.err()).startsWith("kv: ").hasLineCount(1);
      assertThat(locked.out()).isEmpty();
    }
    Files.writeString(directory.resolve("store"), "not what it was");
    KvProcess.Result corrupt =
        KvProcess.run("serve", "--port", "0", "--path", directory.toString());
    assertThat(corrupt.exit()).isEqualTo(1);
    assertThat(corrupt.err()).startsWith("kv: ").contains("store").hasLineCount(1);
  }

  @Test
  void reportsAWrongConfigurationInOneLineAndExitsWithTwo() throws Exception {
    Path config = Files.writeString(directory.resolve("kv.yaml"), "memory: true\nprot: 1\n");
    KvProcess.Result unknown = KvProcess.run("serve", "--config", config.toString());
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).startsWith("kv: " + config + ":2: unknown property \"prot\"");
    assertThat(unknown.err()).hasLineCount(1);

    KvProcess.Result open = KvProcess.run("serve", "--memory", "--host", "0.0.0.0");
    assertThat(open.exit()).isEqualTo(2);
    assertThat(open.err()).contains("a token is required");

    KvProcess.Result flag = KvProcess.run("serve", "--port", "x");
    assertThat(flag.exit()).isEqualTo(2);
    assertThat(flag.err()).startsWith("kv: Invalid value for option '--port'");
  }

  @Test
  void logsNoRequestsOnATerminalUnlessTold() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script of util-linux");
    List<String> terminal = List.of("sh", "-c", "exec script -qec \"$*\" /dev/null", "sh");
    for (String option : List.of("--metrics", "--access-log")) {
      try (KvProcess kv =
          KvProcess.start(
              Map.of("KV_SERVER_TOKEN", ServedProcess.TOKEN),
              terminal,
              "serve",
              "--memory",
              "--port",
              "0",
              option)) {
        try (ServedProcess server = ServedProcess.of(kv)) {
          assertThat(server.send("GET", "/api/v1/info", "").statusCode()).isEqualTo(200);
          kv.process().descendants().forEach(ProcessHandle::destroy);
          KvProcess.Result end = kv.end();
          assertThat(end.out().contains("/api/v1/info"))
              .as(end.out())
              .isEqualTo(option.equals("--access-log"));
        }
      }
    }
  }

  @Test
  void logsOneJsonObjectPerLine() throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    try (ServedProcess server = ServedProcess.at(directory, "--log-format", "json")) {
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
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
      server.send("GET", "/readyz", "");
      server.terminate();
      String log = server.process.end().err();
      ObjectMapper json = new ObjectMapper();
      for (String line : log.lines().toList()) {
        assertThat(json.readTree(line).isObject()).isTrue();
      }
      assertThat(log).doesNotContain("DEBUG").doesNotContain("readyz").doesNotContain("secret");
      JsonNode access =
          json.readTree(
              log.lines().filter(line -> line.contains("my-id")).findFirst().orElseThrow());
      assertThat(access.get("loggerName").asText()).isEqualTo("access");
      assertThat(access.get("kvpList").toString())
          .contains("\"route\":\"/api/v1/entry\"")
          .contains("\"status\":\"404\"")
          .contains("\"token\":")
          .contains("\"traceId\":\"" + trace + "\"");
    }
  }

  @Test
  void exposesMetricsByStoreAndRoutePatternWithoutPaths() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory)) {
      assertThat(server.send("PUT", "/db/other/api/v1/entry?key=[%22a%22]", "1").statusCode())
          .isEqualTo(200);
      String route = "route=\"/db/:database/api/v1/entry\"";
      Conditions.await( // a request is measured when it has been answered
          () -> server.send("GET", "/metrics", "").body().contains(route));
      String metrics = server.send("GET", "/metrics", "").body();
      assertThat(metrics)
          .contains("kv_commits_total{store=\"other\"}")
          .contains("jvm_memory_used_bytes")
          .contains("vertx_http_server_response_time_seconds_bucket");
      assertThat(metrics).contains(route).doesNotContain("/db/other");
    }
  }

  @Test
  void namesRoutesOfKvConnectInMetrics() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory)) {
      for (String path : List.of("/", "/v2/snapshot_read", "/db/default/v2/atomic_write")) {
        server.send("POST", path, "{\"supportedVersions\":[3]}");
      }
      Conditions.await( // a request is measured when it has been answered
          () -> server.send("GET", "/metrics", "").body().contains("route=\"/\""));
      String metrics = server.send("GET", "/metrics", "").body();
      server.terminate();
      String log = server.process.end().err();
      assertThat(metrics).doesNotContain("(?:", "[^/]", "route=\"/>");
      assertThat(log)
          .contains("route=/v2/snapshot_read")
          .contains("route=/db/:database/v2/atomic_write")
          .doesNotContain("(?:", "[^/]");
    }
  }
}
