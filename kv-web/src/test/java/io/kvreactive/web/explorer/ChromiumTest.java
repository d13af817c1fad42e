package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.Kv;
import io.kvreactive.KvRange;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server and the page of a real browser. Without Chromium these tests are skipped, but fail on
 * the build server. A test fails if the browser's console has an error.
 */
@Tag("other-runtime")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(VertxExtension.class)
abstract class ChromiumTest {
  private static final String HOW = "no chromium on the PATH (Debian: apt-get install chromium)";

  @TempDir Path downloads;
  Browser browser;
  TestServer server;
  Page page;
  ExplorerPage explorer;

  @BeforeAll
  void startBrowser() throws Exception {
    var program = Browser.find();
    if (System.getenv("CI") != null) {
      assertThat(program).as(HOW).isPresent();
    }
    assumeTrue(program.isPresent(), HOW);
    browser = Browser.shared(program.orElseThrow());
  }

  @BeforeEach
  void openPage(Vertx vertx) {
    startServer(vertx);
    page = browser.page(downloads);
    explorer = new ExplorerPage(page);
  }

  @AfterEach
  void closePage() {
    if (page == null) {
      return;
    }
    List<String> problems = List.copyOf(page.problems());
    try {
      page.leave();
    } finally {
      stopServer();
    }
    assertThat(problems).as("the browser's console").isEmpty();
  }

  /** Starts what the page shows. */
  void startServer(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  void stopServer() {
    server.close();
  }

  void login() {
    explorer.login(server.uri("/").toString(), TestServer.TOKEN);
  }

  /** Stores the data of a small shop. */
  void shop() throws Exception {
    copy(Seed.lines(server.vertx()));
  }

  /** Copies the entries of another store. */
  void copy(Kv from) throws Exception {
    copy(from.admin().exportLines(KvRange.all()).collectList().block(TestServer.TIMEOUT));
  }

  /** Stores the entries of an export. */
  void copy(List<String> lines) throws Exception {
    stream("/api/v1/import", lines);
  }

  /** Stores items in a collection. */
  void load(String collection, Stream<String> items) throws Exception {
    stream("/api/v1/collections/" + collection + "/load", items.toList());
  }

  private void stream(String path, List<String> lines) throws Exception {
    HttpResponse<String> answer =
        server.send(
            "POST",
            path,
            String.join("\n", lines),
            request -> request.setHeader("Content-Type", "application/x-ndjson"));
    assertThat(answer.body()).contains("\"done\":true");
  }

  /** Sends JSON like another client, and returns the status. */
  int send(String method, String path, String json) throws Exception {
    return server
        .send(method, path, json, request -> request.setHeader("Content-Type", "application/json"))
        .statusCode();
  }

  /** Stores a value like another client. */
  void put(String key, String value) throws Exception {
    assertThat(send("PUT", "/api/v1/entry?key=" + encoded(key), value)).isEqualTo(200);
  }

  void delete(String key) throws Exception {
    HttpResponse<String> deleted =
        server.send("DELETE", "/api/v1/entry?key=" + encoded(key), "", request -> request);
    assertThat(deleted.statusCode()).isEqualTo(200);
  }

  /** Returns the JSON of an entry, or of the problem. */
  String stored(String key) throws Exception {
    return server.get("/api/v1/entry?key=" + encoded(key)).body();
  }

  private static String encoded(String key) {
    return java.net.URLEncoder.encode(key, java.nio.charset.StandardCharsets.UTF_8);
  }
}
