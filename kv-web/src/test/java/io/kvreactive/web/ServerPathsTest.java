package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.web.internal.auth.TokenFile;
import io.kvreactive.web.internal.auth.TokenScope;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** File errors in answers do not reveal the paths of the server. */
@ExtendWith(VertxExtension.class)
class ServerPathsTest {
  private static final String PLACE = "place-of-the-operator";

  @TempDir Path temporary;
  private Path directory;
  private Path backups;
  private Path tokens;
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    directory = temporary.resolve(PLACE).resolve("kv");
    backups = temporary.resolve(PLACE).resolve("backups");
    tokens = directory.resolve(ServerOptions.TOKENS_FILE);
    new TokenFile(tokens).create("t", TokenScope.all());
    server =
        TestServer.start(
            vertx,
            ServerOptions.at(directory)
                .withRoutes(RoutesOptions.DEFAULT.withBackupDirectory(backups)));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private HttpResponse<String> ask(String method, String path, String body) throws Exception {
    HttpResponse<String> answer =
        server.send(method, path, body, r -> r.header("Content-Type", "application/json"));
    assertThat(answer.body() + answer.headers().map()).as(path).doesNotContain(PLACE);
    return answer;
  }

  private HttpResponse<String> backUp(String path) throws Exception {
    return ask("POST", "/api/v1/backup", "{\"path\":\"" + path + "\"}");
  }

  @Test
  void rejectsABackupToAnExistingPath() throws Exception {
    assertThat(backUp("2026/monday").statusCode()).isEqualTo(200);
    HttpResponse<String> taken = backUp("2026/monday");
    assertThat(taken.statusCode()).isEqualTo(400);
    assertThat(taken.body())
        .contains("path: \\\"2026/monday\\\" (expected: a path that does not exist, or an empty");
  }

  @Test
  void rejectsABackupBelowAFile() throws Exception {
    Files.createDirectories(backups);
    Files.writeString(backups.resolve("file"), "x");
    assertThat(backUp("file").statusCode()).isIn(400, 500);
    assertThat(backUp("file/below").statusCode()).isEqualTo(500);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/tokens, ''",
    "POST, /api/v1/tokens, '{\"name\":\"n\",\"access\":[\"READ\"]}'",
    "DELETE, /api/v1/tokens/t, ''",
    "POST, /api/v1/tokens/t/rotate, ''",
  })
  void reportsAnUnreadableTokenFile(String method, String path, String body) throws Exception {
    for (String content : new String[] {"{", "{\"version\":9}", "[]"}) {
      Files.writeString(tokens, content);
      assertThat(ask(method, path, body).statusCode()).isEqualTo(500);
    }
    Files.delete(tokens);
    Files.createDirectories(tokens.resolve("not-a-file"));
    assertThat(ask(method, path, body).statusCode()).isEqualTo(500);
  }

  @Test
  void reportsDatabasesThatCannotBeOpened(Vertx vertx) throws Exception {
    Path databases = Files.createDirectories(directory.resolve("databases"));
    Files.writeString(databases.resolve("file"), "x");
    assertThat(ask("GET", "/db/file/api/v1/info", "").statusCode()).isEqualTo(404);
    Path corrupt = Files.createDirectories(databases.resolve("corrupt"));
    Files.writeString(corrupt.resolve("store"), "something else");
    Files.write(corrupt.resolve("image.db"), new byte[100]);
    assertThat(ask("GET", "/db/corrupt/api/v1/info", "").statusCode()).isEqualTo(500);
    Path newer = Files.createDirectories(databases.resolve("newer"));
    String id = "00000000-0000-0000-0000-000000000000";
    Files.writeString(newer.resolve("store"), "kv-reactive store\nformat=99\nid=" + id + "\n");
    assertThat(ask("GET", "/db/newer/api/v1/info", "").statusCode()).isEqualTo(500);
    Kv held = Kv.open(vertx, KvOptions.at(databases.resolve("held"))).block(TestServer.TIMEOUT);
    assertThat(ask("GET", "/db/held/api/v1/info", "").statusCode()).isEqualTo(409);
    held.close().block(TestServer.TIMEOUT);
  }

  @Test
  void reportsADamagedStore() throws Exception {
    for (int i = 0; i < 20; i++) {
      String path = "/api/v1/entry?key=%5B" + i + "%5D";
      assertThat(ask("PUT", path, "\"" + "x".repeat(5000) + "\"").statusCode()).isEqualTo(200);
    }
    try (var files = Files.list(directory)) {
      for (Path log : files.filter(file -> file.toString().endsWith(".kvlog")).toList()) {
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length / 2] ^= 1;
        Files.write(log, bytes, java.nio.file.StandardOpenOption.WRITE);
      }
    }
    HttpResponse<String> report = ask("POST", "/api/v1/verify", "");
    assertThat(report.body()).contains("\"sound\":false", ".kvlog");
    ask("POST", "/api/v1/compact", "");
    ask("GET", "/api/v1/changes?since=00000000000000000000", "");
    ask("GET", "/readyz", "");
    ask("GET", "/api/v1/stats", "");
  }
}
