package io.kvreactive.web.internal.rest;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvStores;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Grants of tokens, and operations of operators. */
@ExtendWith(VertxExtension.class)
class ScopeRestTest {
  private static final String SET =
      "{\"mutations\":[{\"type\":\"set\",\"key\":[\"%s\",1],\"value\":1}]}";
  private static @TempDir Path directory;
  private static TestServerContext site;
  private static Rest mine;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    Set<AccessRight> both = Set.of(AccessRight.READ, AccessRight.WRITE);
    site =
        new TestServerContext(
            vertx,
            KvOptions.at(directory.resolve("store")),
            RoutesOptions.DEFAULT.withBackupDirectory(directory.resolve("backups")),
            TestServerContext.tokens(
                new Grant("mine", both, List.of(KvKey.of("mine")), Set.of(), null),
                new Grant("reader", Set.of(AccessRight.READ), List.of(), Set.of(), null),
                new Grant("writer", Set.of(AccessRight.WRITE), List.of(), Set.of(), null)));
    mine = site.rest().as("mine");
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  @Test
  void limitsATokenToItsPrefix() {
    mine.put(key("mine", "a"), "1").is(200);
    mine.get("/entry?key=" + key("mine", "a")).is(200);
    mine.get("/entries?prefix=" + key("mine")).is(200);
    mine.get("/tree?prefix=" + key("mine")).is(200);
    mine.get("/count?prefix=" + key("mine")).is(200);
    mine.get("/changes?prefix=" + key("mine")).is(200);
    mine.get("/export?prefix=" + key("mine")).is(200);
    mine.post("/atomic", SET.formatted("mine")).is(200);
    mine.post(
            "/atomic",
            "{\"checks\":[{\"prefix\":[\"mine\"],\"unchangedSince\":\"00000000000000000000\"}]}")
        .is(200);
    mine.ask("DELETE", "/entries?prefix=" + key("mine"), null).is(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/entry?key=[\"other\"]",
        "/entry?key=[\"mine2\"]",
        "/entries",
        "/entries?prefix=[\"other\"]",
        "/entries?start=[\"mine\"]&end=[\"mine2\"]",
        "/entries?start=[\"a\"]&end=[\"mine\"]",
        "/tree",
        "/count",
        "/changes",
        "/export",
        "/stats",
        "/queues",
      })
  void forbidsKeysOutsideTheGrant(String path) {
    mine.get(path.replace("[", "%5B").replace("]", "%5D").replace("\"", "%22"))
        .problem(403, "FORBIDDEN");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"mutations\":[{\"type\":\"set\",\"key\":[\"other\"],\"value\":1}]}",
        "{\"mutations\":[{\"type\":\"deleteRange\",\"prefix\":[]}]}",
        "{\"mutations\":[{\"type\":\"touch\",\"key\":[\"x\"],\"expireAt\":null}]}",
        "{\"mutations\":[{\"type\":\"setSuffixed\",\"key\":[],\"value\":1}]}",
        "{\"checks\":[{\"key\":[\"other\"],\"versionstamp\":null}]}",
        "{\"checks\":[{\"prefix\":[],\"unchangedSince\":\"00000000000000000000\"}]}",
        "{\"checks\":[{\"start\":[\"mine\"],\"end\":[\"mine2\"],\"unchangedSince\":\"00000000000000000000\"}]}",
        "{\"enqueues\":[{\"value\":1,\"keysIfUndelivered\":[[\"other\"]]}]}",
        "{\"enqueues\":[{\"value\":1}]}",
      })
  void forbidsCommitsOutsideThePrefix(String body) {
    mine.post("/atomic", body).problem(403, "FORBIDDEN");
  }

  @Test
  void forbidsOtherWaysOfWritingOutsideThePrefix() {
    mine.put(key("other"), "1").problem(403, "FORBIDDEN");
    mine.ask("DELETE", "/entry?key=" + key("other"), null).problem(403, "FORBIDDEN");
    mine.ask("DELETE", "/entries?prefix=%5B%5D", null).problem(403, "FORBIDDEN");
    mine.ask("POST", "/entry/touch?expireIn=1&key=" + key("other"), null).problem(403, "FORBIDDEN");
    mine.post("/import", "", "Content-Type", "application/x-ndjson").problem(403, "FORBIDDEN");
    mine.post("/queue/claim", "{}").problem(403, "FORBIDDEN");
    mine.post("/entries/get", "{\"keys\":[[\"mine\",1],[\"other\"]]}").problem(403, "FORBIDDEN");
  }

  @Test
  void separatesReadAndWriteAccess() {
    Rest reader = site.rest().as("reader");
    Rest writer = site.rest().as("writer");
    reader.put(key("r"), "1").problem(403, "FORBIDDEN");
    reader.post("/atomic", "{}").problem(403, "FORBIDDEN");
    reader.post("/enqueue", "{\"value\":1}").problem(403, "FORBIDDEN");
    reader.get("/entries").is(200);
    writer.put(key("w"), "1").is(200);
    writer.get("/entry?key=" + key("w")).problem(403, "FORBIDDEN");
    writer.get("/changes", "Accept", "text/event-stream").problem(403, "FORBIDDEN");
  }

  @Test
  void recordsNoCommitIdsForReaders() {
    String check = "{\"checks\":[{\"key\":[\"absent\"],\"versionstamp\":null}]}";
    String set = "{\"mutations\":[{\"type\":\"set\",\"key\":[\"ids\"],\"value\":1}]}";
    String[] id = {"Idempotency-Key", "order-4711"};
    site.rest().as("reader").post("/atomic", check, id).is(200);
    site.rest().as("writer").post("/atomic", set, id).is(200);
    assertThat(site.kv.get(KvKey.of("ids")).map(KvEntry::exists).block(TestServer.TIMEOUT))
        .isTrue();
    site.kv.delete(KvKey.of("ids")).block(TestServer.TIMEOUT);
    site.rest().as("writer").post("/atomic", set, id).is(200);
    assertThat(site.kv.get(KvKey.of("ids")).map(KvEntry::exists).block(TestServer.TIMEOUT))
        .as("a writer's does not happen twice")
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/compact", "/verify"})
  void limitsOperationsToOperators(String path) {
    site.rest().as("reader").ask("POST", path, null).problem(403, "FORBIDDEN");
    site.rest().as("reader").post("/backup", "{\"path\":\"b\"}").problem(403, "FORBIDDEN");
  }

  @Test
  void separatesCommitIdsOfTokens() {
    mine.put(key("mine", "i"), "1", "Idempotency-Key", "same").is(200);
    site.rest().put(key("theirs"), "2", "Idempotency-Key", "same").is(200);
    site.rest().get("/entry?key=" + key("theirs")).is(200);
  }

  @Test
  void describesTheToken() {
    JsonNode info = mine.get("/info").is(200).json();
    assertThat(info.get("grant").toString())
        .isEqualTo(
            "{\"name\":\"mine\",\"access\":[\"READ\",\"WRITE\"],\"prefixes\":[[\"mine\"]],"
                + "\"databases\":[],\"expiresAt\":null}");
    assertThat(info.at("/limits/maxKeyBytes").intValue()).isEqualTo(2048);
    assertThat(info.get("database").asText()).isEqualTo("default");
    assertThat(mine.get("/databases").is(200).body())
        .isEqualTo("{\"databases\":[{\"name\":\"default\"}]}");
  }

  @Test
  void returnsStatistics() {
    site.rest().put(key("s"), "1").is(200);
    JsonNode stats = site.rest().get("/stats").is(200).json();
    assertThat(stats.at("/commits/commits").longValue()).isPositive();
    site.rest().get("/stats?x=1").problem(400, "BAD_REQUEST");
  }

  @Test
  void writesACompleteBackupBelowItsDirectory() {
    site.rest().put(key("backed", "up"), "1").is(200);
    JsonNode last = site.rest().post("/backup", "{\"path\":\"2026/monday\"}").is(200).lastLine();
    assertThat(last.get("done").booleanValue()).isTrue();
    assertThat(last.get("versionstamp").asText()).hasSize(20);
    Path backup = directory.resolve("backups/2026/monday");
    assertThat(Files.isDirectory(backup)).isTrue();
    assertThat(KvStores.verify(backup).blockLast(TestServer.TIMEOUT).sound()).isTrue();
    site.rest()
        .post("/backup", "{\"path\":\"2026/monday\"}")
        .problem(400, "INVALID_ARGUMENT"); // not empty
  }

  @ParameterizedTest
  @CsvSource({"''", "..", "../x", "a/../../x", "/tmp/x", "a//b", ".x", "a/", "a\\\\b", "a b"})
  void rejectsPathsOutsideTheDirectory(String path) {
    site.rest().post("/backup", "{\"path\":\"" + path + "\"}").problem(400, "BAD_REQUEST");
  }

  @Test
  void rejectsBackupsWithoutADirectory(Vertx vertx) throws Exception {
    try (TestServerContext other = new TestServerContext(vertx)) {
      other.rest().post("/backup", "{\"path\":\"b\"}").problem(403, "FORBIDDEN");
      other.rest().ask("POST", "/compact", null).problem(501, "UNSUPPORTED"); // in memory
    }
  }

  @Test
  void verifiesAndCompactsTheStore() {
    site.rest().put(key("v"), "1").is(200);
    JsonNode report = site.rest().ask("POST", "/verify", null).is(200).lastLine();
    assertThat(report.get("sound").booleanValue()).as(report.toString()).isTrue();
    JsonNode compacted = site.rest().ask("POST", "/compact", null).is(200).lastLine();
    assertThat(compacted.get("done").booleanValue()).isTrue();
  }
}
