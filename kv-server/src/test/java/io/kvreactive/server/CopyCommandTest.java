package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv copy} between a directory, PostgreSQL and a server. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class CopyCommandTest {
  private static final long HOUR = 3_600_000;
  private static final String ITEMS = "/api/v1/collections/notes/items";

  @TempDir Path directory;

  private String store(String name) {
    return directory.resolve(name).toString();
  }

  @Test
  void movesAServedStoreToPostgresAndBack(Vertx vertx) throws Exception {
    String url = SharedPostgres.url();
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory.resolve("a")))) {
      assertThat(status(server, "PUT", "/api/v1/collections/notes", "{}")).isEqualTo(201);
      for (int i = 0; i < 20; i++) {
        assertThat(status(server, "POST", ITEMS, note(i))).isEqualTo(201);
      }
      set(server, "before", HOUR);
      set(server, "touched", HOUR);
      set(server, "deleted", HOUR);
      String gone = "/api/v1/entry?key=[%22gone%22,1]";
      assertThat(status(server, "PUT", gone, "1")).isEqualTo(200);
      Map<String, String> environment = new HashMap<>();
      environment.put("KV_FROM_TOKEN", TestServer.TOKEN);
      environment.put("KV_COPY_TO", url);
      try (KvProcess copy =
          KvProcess.start(
              environment, "copy", "--from", server.uri("").toString(), "--follow", "-o", "json")) {
        for (int i = 20; i < 40; i++) {
          assertThat(status(server, "POST", ITEMS, note(i))).isEqualTo(201);
        }
        set(server, "after", 2 * HOUR);
        String touch = "/api/v1/entry/touch?key=[%22session%22,%22touched%22]&expireIn=" + 3 * HOUR;
        assertThat(status(server, "POST", touch, "")).isEqualTo(200);
        String deleted = "/api/v1/entry?key=[%22session%22,%22deleted%22]";
        assertThat(status(server, "DELETE", deleted, "")).isEqualTo(200);
        String range = "/api/v1/entries?prefix=[%22gone%22]";
        assertThat(status(server, "DELETE", range, "")).isEqualTo(200);
        try (OutputStream input = copy.process().getOutputStream()) {
          input.write("\n".getBytes(StandardCharsets.UTF_8));
        }
        KvProcess.Result copied = copy.end();
        assertThat(copied.err()).doesNotContain("expir");
        assertThat(copied.out()).contains("\"equal\":true", "\"differences\":0");
        assertThat(copied.exit()).isZero();
      }
    }
    KvProcess.Result again = KV.run("copy", "--from", store("a"), "--to", url);
    assertThat(again.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(again.err()).contains("the target has entries");

    KvProcess.Result back = KV.run("copy", "--from", url, "--to", store("b"));
    assertThat(back.out()).startsWith("equal: ");
    assertThat(back.exit()).isZero();
    String[] exported = {"export", "--prefix", "session", "--path"};
    assertThat(expiries(KV.run(exported[0], exported[1], exported[2], exported[3], store("b"))))
        .isEqualTo(expiries(KV.run(exported[0], exported[1], exported[2], exported[3], store("a"))))
        .hasSize(3);
    String[] query = {"query", "notes", "SELECT VALUE COUNT(1) FROM c WHERE c.n >= 10"};
    assertThat(KV.run(query[0], query[1], query[2], "--path", store("b")).out()).contains("30");
    KvProcess.Result same =
        KV.run("copy", "--from", store("a"), "--to", store("b"), "--replace", "--output", "json");
    assertThat(same.out()).contains("\"equal\":true", "\"written\":0");
  }

  private static int status(TestServer server, String method, String path, String json)
      throws Exception {
    return server
        .send(method, path, json, r -> r.header("Content-Type", "application/json"))
        .statusCode();
  }

  private static void set(TestServer server, String name, long expireIn) throws Exception {
    String entry = "/api/v1/entry?key=[%22session%22,%22" + name + "%22]&expireIn=" + expireIn;
    assertThat(status(server, "PUT", entry, "1")).isEqualTo(200);
  }

  /** Returns the lines of an export without their versionstamps, each of which has an expiry. */
  private static List<String> expiries(KvProcess.Result exported) {
    List<String> lines =
        exported
            .out()
            .lines()
            .map(line -> line.replaceFirst(",?\"versionstamp\":\"[0-9a-f]+\"", ""))
            .toList();
    assertThat(lines).allMatch(line -> line.contains("\"expireAt\":1"));
    return lines;
  }

  private static String note(int n) {
    return "{\"id\":\"n" + n + "\",\"n\":" + n + "}";
  }

  @Test
  void tellsOfMessagesThatAreNotCopied() throws Exception {
    String source = store("a");
    assertThat(KV.run("set", "k", "1", "--path", source).exit()).isZero();
    assertThat(KV.run("queue", "push", "--queue", "mail", "\"hi\"", "--path", source).exit())
        .isZero();
    KvProcess.Result copied = KV.run("copy", "--from", source, "--to", store("b"));
    assertThat(copied.err()).contains("not copied: 1 message of queue \"mail\"");
    assertThat(copied.out()).startsWith("equal: 1 entry at");
    assertThat(copied.exit()).isZero();
  }

  @Test
  void rejectsAStoreThatDoesNotExist() throws Exception {
    KvProcess.Result none = KV.run("copy", "--from", store("none"), "--to", store("b"));
    assertThat(none.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("store not found");
    assertThat(Files.exists(directory.resolve("b"))).isFalse();
    assertThat(KV.run("copy", "--from", store("a")).err()).contains("--from and --to are required");
  }
}
