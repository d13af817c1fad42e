package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv copy} between a directory, PostgreSQL and a server. */
@Timeout(600)
class CopyCommandTest {
  private static final String ITEMS = "/api/v1/collections/notes/items";

  @AutoClose private static final CommandHost KV = new CommandHost();

  @TempDir Path directory;

  private String store(String name) {
    return directory.resolve(name).toString();
  }

  @Test
  void movesAServedStoreToPostgresAndBack() throws Exception {
    try (EmbeddedPostgres database = EmbeddedPostgres.start()) {
      String url = "postgresql://postgres@localhost:" + database.getPort() + "/postgres";
      try (ServedProcess server = ServedProcess.at(directory.resolve("a"))) {
        assertThat(server.send("PUT", "/api/v1/collections/notes", "{}").statusCode())
            .isEqualTo(201);
        for (int i = 0; i < 20; i++) {
          assertThat(server.send("POST", ITEMS, note(i)).statusCode()).isEqualTo(201);
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("KV_FROM_TOKEN", ServedProcess.TOKEN);
        environment.put("KV_COPY_TO", url);
        try (KvProcess copy =
            KvProcess.start(environment, "copy", "--from", server.url, "--follow", "-o", "json")) {
          for (int i = 20; i < 40; i++) {
            assertThat(server.send("POST", ITEMS, note(i)).statusCode()).isEqualTo(201);
          }
          try (OutputStream input = copy.process().getOutputStream()) {
            input.write("\n".getBytes(StandardCharsets.UTF_8));
          }
          KvProcess.Result copied = copy.end();
          assertThat(copied.err()).contains("copied entries do not expire");
          assertThat(copied.out()).contains("\"equal\":true", "\"differences\":0");
          assertThat(copied.exit()).isZero();
        }
        server.terminate();
        assertThat(server.process.end().exit()).isZero();
      }
      KvProcess.Result again = KV.run("copy", "--from", store("a"), "--to", url);
      assertThat(again.exit()).isEqualTo(ExitCode.USAGE);
      assertThat(again.err()).contains("the target has entries");

      KvProcess.Result back = KV.run("copy", "--from", url, "--to", store("b"));
      assertThat(back.out()).startsWith("equal: ");
      assertThat(back.exit()).isZero();
      String[] query = {"query", "notes", "SELECT VALUE COUNT(1) FROM c WHERE c.n >= 10"};
      assertThat(KV.run(query[0], query[1], query[2], "--path", store("b")).out()).contains("30");
      KvProcess.Result same =
          KV.run("copy", "--from", store("a"), "--to", store("b"), "--replace", "--output", "json");
      assertThat(same.out()).contains("\"equal\":true", "\"written\":0");
    }
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
