package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Serving of the explorer page and its resources. */
@ExtendWith(VertxExtension.class)
class ExplorerRoutesTest {
  private static final Pattern LOCAL =
      Pattern.compile("(?:href|src|from) ?[=']*\"?(?:\\./|explorer/)([\\w.]+)");

  /** A module that is loaded when it is first used. */
  private static final Pattern LAZY = Pattern.compile("import\\('\\./([\\w.]+)'\\)");

  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private HttpResponse<String> plain(String method, String path, String... headers)
      throws Exception {
    return server.send(
        method, path, "", request -> headers.length == 0 ? request : request.headers(headers));
  }

  @Test
  void servesThePageAndSmallResources() throws Exception {
    Set<String> files = new LinkedHashSet<>();
    String page = plain("GET", "/").body();
    int bytes = page.length();
    find(page, files);
    assertThat(files).contains("app.css", "app.js", "icon.svg");
    for (int known = 0; known < files.size(); ) {
      known = files.size();
      for (String file : Set.copyOf(files)) {
        find(plain("GET", "/explorer/" + file).body(), files);
      }
    }
    Set<String> lazy = new LinkedHashSet<>();
    int transferred = 0;
    for (String file : files) {
      HttpResponse<String> response = plain("GET", "/explorer/" + file);
      assertThat(response.statusCode()).as(file).isEqualTo(200);
      LAZY.matcher(response.body()).results().forEach(match -> lazy.add(match.group(1)));
      bytes += response.body().length();
      transferred +=
          Integer.parseInt(
              plain("HEAD", "/explorer/" + file, "Accept-Encoding", "gzip")
                  .headers()
                  .firstValue("Content-Length")
                  .orElseThrow());
    }
    assertThat(files).hasSize(15);
    assertThat(bytes).isLessThan(120_000);
    assertThat(transferred).isLessThan(45_000);
    assertThat(lazy)
        .containsExactlyInAnyOrder(
            "collections.js",
            "editor.js",
            "live.js",
            "query.js",
            "queues.js",
            "stats.js",
            "transfer.js");
    for (String file : lazy) {
      HttpResponse<String> response = plain("GET", "/explorer/" + file);
      assertThat(response.statusCode()).as(file).isEqualTo(200);
      assertThat(response.body()).as(file).hasSizeLessThan(11_000);
    }
  }

  private static void find(String text, Set<String> files) {
    LOCAL.matcher(text).results().forEach(match -> files.add(match.group(1)));
  }

  @Test
  void sendsSecurityAndCacheHeaders() throws Exception {
    HttpResponse<String> page = plain("GET", "/");
    assertThat(page.headers().map())
        .containsEntry("content-type", java.util.List.of("text/html; charset=utf-8"))
        .containsEntry("x-content-type-options", java.util.List.of("nosniff"))
        .containsEntry("cache-control", java.util.List.of("no-cache"));
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'self'")
        .doesNotContain("unsafe");
    assertThat(page.body()).doesNotContain("<style", " style=", " onclick=", "http://", "https://");
    assertThat(plain("GET", "/explorer/app.js").headers().firstValue("Content-Type"))
        .contains("text/javascript; charset=utf-8");
  }

  @Test
  void answersNotModifiedForKnownEtags() throws Exception {
    String etag = plain("GET", "/explorer/app.css").headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> again = plain("GET", "/explorer/app.css", "If-None-Match", etag);
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    HttpResponse<String> compressed =
        plain("GET", "/explorer/app.css", "If-None-Match", etag, "Accept-Encoding", "gzip, br");
    assertThat(compressed.statusCode()).isEqualTo(200);
    assertThat(compressed.headers().firstValue("Content-Encoding")).contains("gzip");
    assertThat(compressed.headers().firstValue("ETag")).isNotEqualTo(etag);
    assertThat(
            plain("GET", "/explorer/app.css", "Accept-Encoding", "gzip;q=0")
                .headers()
                .firstValue("Content-Encoding"))
        .isEmpty();
  }

  @Test
  void servesNothingElse() throws Exception {
    for (String path : new String[] {"none.js", "..%2F..%2Flogback.xml", "%2e%2e/app.js", ""}) {
      assertThat(plain("GET", "/explorer/" + path).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void redirectsTypedAddressesToThePage(Vertx vertx) throws Exception {
    assertThat(plain("GET", "/db/shop/").headers().firstValue("Location"))
        .contains("../../#db=shop");
    try (Mounted mounted = new Mounted(vertx)) {
      HttpResponse<String> page =
          java.net.http.HttpClient.newBuilder()
              .followRedirects(java.net.http.HttpClient.Redirect.ALWAYS)
              .build()
              .send(
                  java.net.http.HttpRequest.newBuilder(java.net.URI.create(mounted.uri())).build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.uri().getPath()).isEqualTo("/shop/");
    }
  }
}
