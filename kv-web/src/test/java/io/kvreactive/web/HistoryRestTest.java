package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store that was stopped, damaged or restored, as seen by callers of its server. */
@ExtendWith(VertxExtension.class)
class HistoryRestTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ENTRY = "/api/v1/entry?key=%5B%22balance%22%5D";

  @TempDir Path temp;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private TestServer start(String directory) {
    return TestServer.start(vertx, ServerOptions.at(temp.resolve(directory)));
  }

  private static String put(TestServer server, String json) throws Exception {
    HttpResponse<String> answer =
        server.send("PUT", ENTRY, json, r -> r.header("Content-Type", "application/json"));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).get("versionstamp").asText();
  }

  private static String databaseId(TestServer server) throws Exception {
    return JSON.readTree(server.get("/api/v1/info").body()).get("databaseId").asText();
  }

  private static JsonNode changes(TestServer server, String since, int status) throws Exception {
    HttpResponse<String> answer = server.get("/api/v1/changes?prefix=%5B%5D&since=" + since);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JSON.readTree(answer.body());
  }

  @Test
  void refusesToStartWhenTheLastCommitIsDamagedAfterAnOrderlyStop() throws Exception {
    try (TestServer server = start("kv")) {
      for (int i = 0; i < 6; i++) {
        put(server, String.valueOf(i));
      }
    }
    Path log;
    try (Stream<Path> files = Files.list(temp.resolve("kv"))) {
      log = files.filter(f -> f.toString().endsWith(".kvlog")).max(Path::compareTo).orElseThrow();
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log));
    int frame = 64;
    for (int next = frame; bytes.getInt(next) != 0; ) {
      frame = next;
      next += (40 + bytes.getInt(next + 4) + 7) / 8 * 8;
    }
    bytes.put(frame + 45, (byte) (bytes.get(frame + 45) ^ 1));
    Files.write(log, bytes.array());
    assertThatThrownBy(() -> start("kv"))
        .hasMessageContaining("CORRUPT")
        .hasMessageContaining(log + " at offset " + frame);
  }

  /** The store is restored while a client is connected. */
  @Test
  void tellsRemoteClientsThatTheHistoryHasChanged() throws Exception {
    int port;
    Kv remote;
    try (TestServer server = TestServer.start(vertx)) {
      port = server.port();
      remote =
          Kv.connect(vertx, server.uri("/").toString(), TestServer.TOKEN).block(TestServer.TIMEOUT);
      remote.set(KvKey.of("a"), 1).block(TestServer.TIMEOUT);
      assertThat(remote.historyId()).hasToString(databaseId(server));
    }
    ServerOptions again = ServerOptions.inMemory().withAddress("127.0.0.1", port);
    try (TestServer server = TestServer.start(vertx, again)) {
      remote.set(KvKey.of("a"), 2).block(TestServer.TIMEOUT);
      assertThat(remote.historyId()).hasToString(databaseId(server));
      remote.close().block(TestServer.TIMEOUT);
    }
  }

  @Test
  void changesTheDatabaseIdOfARestoredStoreAndRejectsStaleVersionstamps() throws Exception {
    String id;
    String shared;
    String lost;
    try (TestServer server = start("kv")) {
      id = databaseId(server);
      shared = put(server, "1");
    }
    try (TestServer server = start("kv")) {
      assertThat(databaseId(server)).as("after a restart").isEqualTo(id);
    }
    Kv kv =
        Kv.open(vertx, io.kvreactive.KvOptions.at(temp.resolve("kv")).withName("backup-of-history"))
            .block(TestServer.TIMEOUT);
    kv.admin().backup(temp.resolve("backup")).blockLast(TestServer.TIMEOUT);
    kv.close().block(TestServer.TIMEOUT);
    try (TestServer server = start("kv")) {
      lost = put(server, "2");
      put(server, "3");
    }
    KvStores.restore(temp.resolve("backup"), temp.resolve("restored")).block(TestServer.TIMEOUT);
    try (TestServer server = start("restored")) {
      assertThat(databaseId(server)).isNotEqualTo(id);
      JsonNode refused = changes(server, lost, 410);
      assertThat(refused.get("code").asText()).isEqualTo("COMPACTED");
      assertThat(refused.get("since").asText()).isEqualTo(lost);
      assertThat(refused.get("lost").asBoolean()).isTrue();
      for (int i = 0;
          i < 5;
          i++) { // these versions would be behind the original if they were counted on
        assertThat(put(server, "1" + i)).isGreaterThan(lost);
      }
      assertThat(changes(server, lost, 410).get("oldest").asText()).isGreaterThan(shared);
      assertThat(changes(server, shared, 200).toString()).contains("balance");
      HttpResponse<String> stale =
          server.send(
              "PUT",
              ENTRY,
              "4",
              r ->
                  r.header("Content-Type", "application/json")
                      .header("If-Match", "\"" + lost + "\""));
      assertThat(stale.statusCode()).isEqualTo(412);
      HttpResponse<String> connect =
          server.send(
              "POST",
              "/v2/snapshot_read",
              "",
              r -> r.header("x-denokv-version", "3").header("x-denokv-database-id", id));
      assertThat(connect.statusCode()).isEqualTo(400);
      assertThat(connect.body()).contains("x-denokv-database-id");
    }
  }
}
