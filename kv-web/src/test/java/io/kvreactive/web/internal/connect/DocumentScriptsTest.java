package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.DenoRuntime;
import io.kvreactive.testing.RunningScript;
import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.DocumentBlocks.Block;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the JavaScript blocks of the documents; each prints at least one line. */
@Tag("other-runtime")
@Timeout(600) // a slow machine, or a cold download
@ExtendWith(VertxExtension.class)
class DocumentScriptsTest {
  private static final String TOKEN = "DENO_KV_ACCESS_TOKEN";

  /** The script of a page has a token and functions of the page. */
  private static final String PAGE =
      "const token = '%s'; const show = console.log, apply = console.log;%n"
          + "let lastSeen = '00000000000000000000';%n";

  /** More entries and commits than the first credit of a script. */
  private static final int MORE_THAN_CREDIT = 150;

  private static final String LAST = "the-last-entry";

  @TempDir Path work;

  static Stream<Block> scripts() {
    return Stream.of("js deno", "js node", "js browser")
        .flatMap(info -> DocumentBlocks.in(info).stream());
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void printSomething(Block script, Vertx vertx) throws Exception {
    boolean isPage = script.info().equals("js browser") && script.text().contains("prefix: [");
    try (TestServer server = TestServer.start(vertx)) {
      for (String key : List.of("users", "orders")) { // an entry to list
        set(server, key, "ada");
        for (int i = 0; isPage && i < MORE_THAN_CREDIT; i++) {
          set(server, key, "more" + i);
        }
        set(server, key, LAST);
      }
      String text = script.text().replace(":4512", ":" + server.port());
      try (RunningScript running = start(script.info(), text)) {
        String line = running.line();
        assertThat(line).isNotBlank();
        while (isPage && !line.contains(LAST)) { // a page grants credit for all entries
          line = running.line();
          assertThat(line).as("before the last entry").isNotNull();
        }
      }
    }
  }

  private static void set(TestServer server, String prefix, String key) throws Exception {
    server.post(
        "/api/v1/atomic",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[\"%s\",\"%s\"],\"value\":{\"age\":36}}]}"
            .formatted(prefix, key));
  }

  private RunningScript start(String info, String text) throws Exception {
    if (info.equals("js node")) {
      Files.writeString(work.resolve("main.mjs"), text);
      NpmClient node =
          NpmClient.in(work).with(TOKEN, TestServer.TOKEN).with("TOKEN", TestServer.TOKEN);
      node.installInto(work);
      return node.start("main.mjs");
    }
    String page = info.equals("js browser") ? PAGE.formatted(TestServer.TOKEN) : "";
    Files.writeString(work.resolve("main.js"), page + text);
    return DenoRuntime.in(work).with(TOKEN, TestServer.TOKEN).start("main.js");
  }
}
