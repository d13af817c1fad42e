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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server and a page of a real browser. Without Chromium these tests are skipped, but fail on the
 * build server. A test fails if the browser's console has an error.
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
    try {
      assertThat(page.problems()).as("the browser's console").isEmpty();
    } finally {
      page.close();
      stopServer();
    }
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
    copy(from.exportLines(KvRange.all()).collectList().block(TestServer.TIMEOUT));
  }

  private void copy(List<String> lines) throws Exception {
    HttpResponse<String> imported =
        server.send(
            "POST",
            "/api/v1/import",
            String.join("\n", lines),
            request -> request.setHeader("Content-Type", "application/x-ndjson"));
    assertThat(imported.body()).contains("\"done\":true");
  }

  /** Stores a value like another client. */
  void put(String key, String value) throws Exception {
    HttpResponse<String> stored =
        server.send(
            "PUT",
            "/api/v1/entry?key=" + encoded(key),
            value,
            request -> request.setHeader("Content-Type", "application/json"));
    assertThat(stored.statusCode()).as(stored.body()).isEqualTo(200);
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
