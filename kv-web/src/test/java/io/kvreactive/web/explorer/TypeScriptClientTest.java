package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.DenoRuntime;
import io.kvreactive.testing.RunningScript;
import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.DocumentBlocks.Block;
import io.kvreactive.web.KvServer;
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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code clients/typescript} in Node, in Deno and in a browser. */
@Tag("other-runtime")
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class TypeScriptClientTest {
  private static final String OPENAPI = "internal/rest/openapi.json";

  private static final List<Block> BLOCKS = DocumentBlocks.in("ts");

  @TempDir static Path shared;
  private static TypeScriptPackage compiled;

  @TempDir Path work;

  @BeforeAll
  static void compile() throws Exception {
    compiled = TypeScriptPackage.copyTo(shared);
    for (int i = 0; i < BLOCKS.size(); i++) {
      String text = BLOCKS.get(i).text().replace("\"kv-reactive-client\"", "\"../dist/index.js\"");
      String token = "const token = '" + TestServer.TOKEN + "';\n";
      Files.writeString(compiled.directory().resolve("test/block" + i + ".ts"), token + text);
    }
    compiled.compile();
  }

  @Test
  void runsInNode(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx, TypeScriptPackage.SERVER);
        RunningScript program =
            compiled.node("dist-test/main.js", server.uri("").toString(), TestServer.TOKEN)) {
      program.awaitLine("done");
      program.awaitEnd();
    }
  }

  @Test
  void runsInDenoOnANamedDatabase(Vertx vertx) {
    try (TestServer server = TestServer.start(vertx, TypeScriptPackage.SERVER)) {
      String main = compiled.directory().resolve("dist-test/main.js").toString();
      assertThat(
              DenoRuntime.in(work).run(main, server.uri("/db/other/").toString(), TestServer.TOKEN))
          .endsWith("done");
    }
  }

  @Test
  void runsTheBlocksOfTheDocuments(Vertx vertx) throws Exception {
    assertThat(BLOCKS).isNotEmpty();
    for (int i = 0; i < BLOCKS.size(); i++) {
      try (TestServer server = TestServer.start(vertx)) {
        Path script = compiled.directory().resolve("dist-test/block" + i + ".js");
        String text = Files.readString(script).replace(":4512", ":" + server.port());
        Files.writeString(script, text);
        assertThat(
                DenoRuntime.in(Files.createDirectory(work.resolve("" + i))).run(script.toString()))
            .as(BLOCKS.get(i).toString())
            .isNotEmpty();
      }
    }
  }

  @Test
  void resumesAfterARestartInNode(Vertx vertx) throws Exception {
    resumesAfterARestart(vertx, compiled::node);
  }

  @Test
  @Tag("long")
  void resumesAfterARestartInDeno(Vertx vertx) throws Exception {
    DenoRuntime deno = DenoRuntime.in(Files.createDirectory(work.resolve("deno")));
    resumesAfterARestart(
        vertx,
        (script, arguments) ->
            deno.start(compiled.directory().resolve(script).toString(), arguments));
  }

  private interface Runtime {
    RunningScript start(String script, String... arguments);
  }

  private void resumesAfterARestart(Vertx vertx, Runtime runtime) throws Exception {
    ServerOptions options =
        ServerOptions.at(work.resolve("store")).withAddress("127.0.0.1", Ports.free());
    TestServer server = TestServer.start(vertx, options);
    try (RunningScript program =
        runtime.start("dist-test/restart-main.js", server.uri("").toString(), TestServer.TOKEN)) {
      program.awaitLine("watching");
      server.close();
      program.tell("down");
      program.awaitLine("waiting");
      try (TestServer again = TestServer.start(vertx, options)) {
        assertThat(again.port()).isEqualTo(options.port());
        program.tell("up");
        program.awaitLine("resumed");
        program.awaitEnd();
      }
    } finally {
      server.close();
    }
  }

  @Test
  void hasTheTypesOfTheDescription() throws Exception {
    TypeScriptPackage fresh = TypeScriptPackage.copyTo(work);
    Path description = work.resolve("openapi.json");
    try (InputStream openapi = KvServer.class.getResourceAsStream(OPENAPI)) {
      Files.copy(openapi, description);
    }
    Path generated = work.resolve("api.ts");
    try (RunningScript script =
        fresh.node("generate.mjs", description.toString(), generated.toString())) {
      script.awaitEnd();
    }
    assertThat(TypeScriptPackage.SOURCE.resolve("src/api.ts"))
        .as("to be written again by: npm run generate")
        .hasSameTextualContentAs(generated);
  }

  /** On a page of another origin than the server's. */
  @Nested
  class InABrowser extends ChromiumTest {
    private HttpServer pages;
    private String origin;

    @Override
    void startServer(Vertx vertx) {
      Router files = Router.router(vertx);
      files
          .get("/")
          .handler(call -> call.response().end("<!doctype html><link rel=icon href=data:,>"));
      files
          .route()
          .handler(StaticHandler.create(FileSystemAccess.ROOT, compiled.directory().toString()));
      pages = vertx.createHttpServer().requestHandler(files).listen(0, "127.0.0.1").await();
      origin = "http://127.0.0.1:" + pages.actualPort();
    }

    @Override
    void stopServer() {
      pages.close().await();
    }

    @Test
    void runs(Vertx vertx) throws Exception {
      ServerOptions options = allowingPages(TypeScriptPackage.SERVER);
      try (TestServer called = TestServer.start(vertx, options)) {
        begin("import('/dist-test/program.js').then(({ run }) => run", called, "WebSocket");
        page.until("/done|failed/.test(lines.at(-1))");
        assertThat(page.eval("lines.at(-1)").asText()).isEqualTo("done");
      }
    }

    @Test
    void resumesAfterARestart(Vertx vertx) throws Exception {
      ServerOptions options =
          allowingPages(ServerOptions.at(downloads.resolve("store")))
              .withAddress("127.0.0.1", Ports.free());
      TestServer called = TestServer.start(vertx, options);
      try {
        begin(
            "import('/dist-test/restart.js').then(({ restart }) => restart",
            called,
            "WebSocket, () => new Promise(resolve => { globalThis.next = resolve; })");
        page.until("/watching|failed/.test(lines.at(-1))");
        called.close();
        page.eval("next(), 0");
        page.until("/waiting|failed/.test(lines.at(-1))");
        try (TestServer again = TestServer.start(vertx, options)) {
          assertThat(again.port()).isEqualTo(options.port());
          page.eval("next(), 0");
          page.until("/done|failed/.test(lines.at(-1))");
          assertThat(page.eval("lines.join()").asText()).isEqualTo("watching,waiting,resumed,done");
        }
      } finally {
        called.close();
      }
    }

    private ServerOptions allowingPages(ServerOptions options) {
      return options.withSecurity(options.security().withAllowedOrigins(Set.of(origin)));
    }

    /**
     * Calls a program with the address of a server, and keeps its lines and its end in the page.
     */
    private void begin(String program, TestServer called, String more) {
      page.open(origin + "/");
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
}
