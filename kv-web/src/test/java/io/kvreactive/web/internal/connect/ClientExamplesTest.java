package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.DenoRuntime;
import io.kvreactive.testing.RunningScript;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code examples/clients} by the commands in their first lines. */
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class ClientExamplesTest {
  private static final Path CLIENTS = Path.of("..", "examples", "clients").toAbsolutePath();
  private static final String TOKEN_VARIABLE = "DENO_KV_ACCESS_TOKEN";

  @TempDir Path work;

  private static void assertPrinted(List<String> lines, String title, int count) {
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).isEqualTo("added \"" + title + "\"");
    assertThat(lines.get(1)).matches("- " + title + ", since 20[0-9T:.-]+Z");
    assertThat(lines.get(2)).isEqualTo(count + " tasks");
    assertThat(lines.get(3)).isEqualTo("\"" + title + "\" is done");
  }

  @Test
  void runsInDenoAndThenNodeOnOneServer(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      String url = server.uri("").toString();
      DenoRuntime deno = DenoRuntime.in(work).with(TOKEN_VARIABLE, TestServer.TOKEN);
      assertPrinted(
          deno.run(CLIENTS.resolve("deno.js").toString(), url, "read a book"), //
          "read a book",
          1);

      for (String file : List.of("node.js", "tasks.js", "package.json")) {
        Files.copy(CLIENTS.resolve(file), work.resolve(file));
      }
      NpmClient node = NpmClient.in(work).with(TOKEN_VARIABLE, TestServer.TOKEN);
      node.installInto(work);
      try (RunningScript script = node.start("node.js", url)) {
        assertPrinted(
            List.of(script.line(), script.line(), script.line(), script.line()), "buy milk", 2);
        script.awaitEnd();
      }
    }
  }

  @Test
  void runsInDenoOnItsOwnStore() {
    assertPrinted(DenoRuntime.in(work).run(CLIENTS.resolve("deno.js").toString()), "buy milk", 1);
  }

  @Test
  void requiresTheTestedPackageVersion() throws Exception {
    assertThat(Files.readString(CLIENTS.resolve("package.json")))
        .contains("\"@deno/kv\": \"" + NpmClient.VERSION + "\"");
  }
}
