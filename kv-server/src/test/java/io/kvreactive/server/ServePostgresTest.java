package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv serve --engine postgres}. */
@Timeout(600)
class ServePostgresTest {
  private static final String ENTRY = "/api/v1/entry?key=[%22k%22,1]";

  @TempDir Path directory;

  @Test
  void serversShareAStoreInPostgres() throws Exception {
    String url = SharedPostgres.url();
    String[] engine = {"--engine", "postgres", "--url", url};
    try (ServedProcess one = ServedProcess.at(directory, engine);
        ServedProcess two = ServedProcess.at(directory, engine)) {
      assertThat(one.send("PUT", ENTRY, "\"shared\"").statusCode()).isEqualTo(200);
      assertThat(two.send("GET", ENTRY, "").body()).contains("\"shared\"");
      assertThat(two.send("PUT", "/api/v1/collections/notes", "{}").statusCode()).isEqualTo(201);
      assertThat(
              two.send("POST", "/api/v1/collections/notes/items", "{\"id\":\"a\",\"n\":7}")
                  .statusCode())
          .isEqualTo(201);
      String query = "{\"query\":\"SELECT VALUE c.n FROM c WHERE c.n > 5\"}";
      assertThat(one.send("POST", "/api/v1/collections/notes/query", query).body()).contains("[7]");
      String other = "/db/other" + ENTRY;
      assertThat(two.send("GET", other, "").statusCode()).isEqualTo(404);
      assertThat(one.send("PUT", other, "\"apart\"").statusCode()).isEqualTo(200);
      assertThat(two.send("GET", other, "").body()).contains("\"apart\"");
      assertThat(two.send("GET", ENTRY, "").body()).contains("\"shared\"");
      assertThat(one.send("PUT", "/db/closed" + ENTRY, "1").statusCode()).isEqualTo(200);
      assertThat(two.send("GET", "/api/v1/databases", "").body()) // also those it has not opened
          .contains("\"closed\"", "\"default\"", "\"other\"");
      String long48 = "/db/" + "x".repeat(48) + ENTRY;
      assertThat(one.send("PUT", long48, "1").body()).contains("expected: 1 to 48 characters");
      KvProcess.Result accepted = KV.run("postgres", "accept", "--url", url);
      assertThat(accepted.err()).isEmpty();
      assertThat(accepted.out()).startsWith("accepted: the newest commit is 0000");
      assertThat(one.send("PUT", ENTRY, "\"late\"").body())
          .contains("IO_FAILED"); // reads are refused after this, or after the next poll
      assertThat(one.send("GET", ENTRY, "").body()).contains("IO_FAILED"); // until a restart
      one.terminate();
      assertThat(one.process.end().exit()).isZero();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void needsAUrlAndDoesNotShowItsPassword() throws Exception {
    KvProcess.Result none = KV.run("serve", "--engine", "postgres", "--port", "0");
    assertThat(none.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("--engine postgres needs --url");
    Map<String, String> environment = Map.of("KV_SERVER_URL", "postgresql://me:secret@host:x/app");
    KvProcess.Result wrong =
        KV.with(environment).run("serve", "--engine", "postgres", "--port", "0");
    assertThat(wrong.exit()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("host: \"host:x\"").doesNotContain("secret");
  }
}
