package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Ports;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.TypeScriptPackage;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.FileSystemAccess;
import io.vertx.ext.web.handler.StaticHandler;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code clients/typescript} in a browser, on a page of another origin than the server's. */
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class TypeScriptBrowserTest extends ChromiumTest {
  @TempDir static Path shared;
  @TempDir Path work;
  private TypeScriptPackage compiled;

  @BeforeAll
  void compile() throws Exception {
    compiled = TypeScriptPackage.compileIn(shared);
  }

  @Test
  void runsOnAPageOfAnotherOrigin(Vertx vertx) throws Exception {
    ServerOptions options = allowing(openOrigin(vertx), TypeScriptPackage.SERVER);
    try (TestServer other = TestServer.start(vertx, options)) {
      begin("import('/dist-test/program.js').then(({ run }) => run", other, "WebSocket");
      page.until("/done|failed/.test(lines.at(-1))");
      assertThat(page.eval("lines.at(-1)").asText()).isEqualTo("done");
    }
  }

  @Test
  void resumesAfterARestart(Vertx vertx) throws Exception {
    ServerOptions options =
        allowing(openOrigin(vertx), ServerOptions.at(work.resolve("store")))
            .withAddress("127.0.0.1", Ports.free());
    TestServer other = TestServer.start(vertx, options);
    try {
      begin(
          "import('/dist-test/restart.js').then(({ restart }) => restart",
          other,
          "WebSocket, () => new Promise(resolve => { globalThis.next = resolve; })");
      page.until("/watching|failed/.test(lines.at(-1))");
      other.close();
      page.eval("next(), 0");
      page.until("/waiting|failed/.test(lines.at(-1))");
      try (TestServer again = TestServer.start(vertx, options)) {
        assertThat(again.port()).isEqualTo(options.port());
        page.eval("next(), 0");
        page.until("/done|failed/.test(lines.at(-1))");
        assertThat(page.eval("lines.join()").asText()).isEqualTo("watching,waiting,resumed,done");
      }
    } finally {
      other.close();
    }
  }

  /** Opens a page of the origin of the compiled package, and returns the origin. */
  private String openOrigin(Vertx vertx) throws Exception {
    Router files = Router.router(vertx);
    files
        .get("/")
        .handler(call -> call.response().end("<!doctype html><link rel=icon href=data:,>"));
    files
        .route()
        .handler(StaticHandler.create(FileSystemAccess.ROOT, compiled.directory().toString()));
    HttpServer pages =
        vertx
            .createHttpServer()
            .requestHandler(files)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(TestServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    String origin = "http://127.0.0.1:" + pages.actualPort();
    page.open(origin + "/");
    return origin;
  }

  private static ServerOptions allowing(String origin, ServerOptions options) {
    return options.withSecurity(options.security().withAllowedOrigins(Set.of(origin)));
  }

  /** Calls a program with the address of a server, and keeps its lines and its end in the page. */
  private void begin(String program, TestServer called, String more) {
    page.eval(
        """
        globalThis.lines = [];
        %s('%s', '%s', %s, line => lines.push(line)))
          .then(() => lines.push('done'), failure => lines.push(`failed: ${failure.stack}`));
        0\
        """
            .formatted(program, called.uri(""), TestServer.TOKEN, more));
  }
}
