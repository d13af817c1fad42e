package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv repair}, on a store that was used while the wall clock was 50 years ahead. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class RepairCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] MALFORMED = {0x02, 0x61, 0x62, 0x63};
  private static final String LATER = "/api/v1/entry?key=%5B%22later%22%5D";

  @TempDir Path directory;

  private void useIn2076() throws Exception {
    long wall = System.currentTimeMillis() + Duration.ofDays(50 * 365).toMillis();
    StoreOptions options = StoreOptions.of(directory, true, 1 << 20).withWallClock(() -> wall);
    Store store = Store.open(options, () -> {});
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[] {1});
    store.stage(Commit.of(new Mutation.Set(KvKey.of("a").bytes(), value, 0)));
    store.stage(Commit.of(new Mutation.Set(MALFORMED, value, 0)));
    store.publish();
    store.close();
  }

  private static boolean isOfTheLog(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return new String(bytes, StandardCharsets.ISO_8859_1).contains("seven");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private KvProcess.Result repair(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 2];
    all[0] = "repair";
    all[1] = directory.toString();
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return KV.run(all);
  }

  private static boolean keepsKeysThatExpireInAnHour(TestServer server) throws Exception {
    long at = System.currentTimeMillis() + 3_600_000;
    String put = LATER + "&expireAt=" + at;
    assertThat(server.send("PUT", put, "1", r -> r.setHeader("Content-Type", "application/json")))
        .matches(answer -> answer.statusCode() == 200);
    return server.get(LATER).statusCode() == 200;
  }

  private static JsonNode clock(TestServer server) throws Exception {
    return JSON.readTree(server.get("/api/v1/stats").body()).path("clock");
  }

  private static JsonNode readiness(TestServer server) throws Exception {
    return JSON.readTree(
        server.send("GET", "/readyz", "", r -> r.setHeader("Accept", "application/json")).body());
  }

  @Test
  void setsTheClockBackAndDeletesMalformedKeys(Vertx vertx) throws Exception {
    useIn2076();
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory))) {
      assertThat(clock(server).path("state").asText()).isEqualTo("AHEAD");
      assertThat(clock(server).path("aheadMs").asLong())
          .isGreaterThan(Duration.ofDays(49 * 365).toMillis());
      assertThat(readiness(server).path("status").asText()).isEqualTo("ready");
      assertThat(readiness(server).path("warnings").toString()).isEqualTo("[\"CLOCK_AHEAD\"]");
      assertThat(keepsKeysThatExpireInAnHour(server)).as("before the repair").isFalse();
      KvProcess.Result locked = repair();
      assertThat(locked.exit()).isEqualTo(ExitCode.USAGE);
      assertThat(locked.err()).contains("LOCKED");
    }
    KvProcess.Result found = repair();
    String key = "{\"$key\":\"" + Base64.getEncoder().encodeToString(MALFORMED) + "\"}";
    assertThat(found.exit()).isEqualTo(ExitCode.NO);
    assertThat(found.out()).contains("AHEAD", "malformed keys: 1", key);

    KvProcess.Result dry = repair("--set-clock", "now", "--delete-key", key);
    assertThat(dry.exit()).as(dry.err()).isEqualTo(ExitCode.OK);
    assertThat(dry.out()).contains("would: key 02616263 (hex) is deleted", "nothing was changed");
    assertThat(repair().exit()).isEqualTo(ExitCode.NO);

    KvProcess.Result done =
        repair("--set-clock", "now", "--delete-key", "02616263", "--apply", "-o", "json");
    assertThat(done.exit()).as(done.err()).isEqualTo(ExitCode.OK);
    assertThat(JSON.readTree(done.out()).path("applied").asBoolean()).isTrue();
    assertThat(repair().exit()).as("sound").isEqualTo(ExitCode.OK);
    assertThat(KV.run("verify", directory.toString()).exit()).isEqualTo(ExitCode.OK);
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory))) {
      assertThat(clock(server).path("state").asText()).isEqualTo("IN_STEP");
      assertThat(readiness(server).has("warnings")).isFalse();
      assertThat(keepsKeysThatExpireInAnHour(server)).as("after the repair").isTrue();
      assertThat(server.get("/api/v1/tree").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void cutsADamagedTailOnConfirmation() throws Exception {
    StoreOptions options = StoreOptions.of(directory, true, 1 << 20);
    Store store = Store.open(options, () -> {});
    KvValue value = new KvValue(KvValue.Encoding.BYTES, "seven".getBytes(StandardCharsets.UTF_8));
    for (String key : List.of("first", "last")) {
      store.stage(Commit.of(new Mutation.Set(KvKey.of(key).bytes(), value, 0)));
      store.publish();
    }
    store.close();
    Path log;
    try (Stream<Path> files = Files.list(directory)) {
      log = files.filter(RepairCommandTest::isOfTheLog).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.lastIndexOf("seven")] ^= 1;
    Files.write(log, bytes);

    KvProcess.Result found = repair();
    assertThat(found.exit()).isEqualTo(ExitCode.NO);
    assertThat(found.out()).contains("damage: ", log.getFileName().toString(), "at offset");
    KvProcess.Result dry = repair("--cut-tail");
    assertThat(dry.exit()).as(dry.err()).isEqualTo(ExitCode.OK);
    assertThat(dry.out()).contains("would: the log is cut off", "nothing was changed");
    assertThat(Files.readAllBytes(log)).isEqualTo(bytes);
    assertThat(repair("--cut-tail", "--apply").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(repair("--set-clock", "now", "--apply").exit()).isEqualTo(ExitCode.NO);
    assertThat(Files.readAllBytes(log)).isEqualTo(bytes);
    KvProcess.Result cut = repair("--cut-tail", "--lose-commits", "--apply");
    assertThat(cut.exit()).as(cut.err()).isEqualTo(ExitCode.OK);
    assertThat(repair().exit()).isEqualTo(ExitCode.OK);
    assertThat(KV.run("verify", directory.toString()).exit()).isEqualTo(ExitCode.OK);
    String path = directory.toString();
    assertThat(KV.run("get", "first", "--path", path).exit()).isEqualTo(ExitCode.OK);
    assertThat(KV.run("get", "last", "--path", path).exit()).isEqualTo(ExitCode.NO);
  }

  @Test
  void changesNothingForWrongCommandLines() throws Exception {
    useIn2076();
    assertThat(repair("--apply").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(repair("--set-clock", "tomorrow").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(repair("--set-clock", "+10000-01-01T00:00:00Z", "--apply").exit())
        .isEqualTo(ExitCode.USAGE);
    assertThat(repair("--delete-key", "xyz", "--apply").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(repair("--delete-key", "{\"$key\":\"AA==\"}", "--apply").exit())
        .as("no such key")
        .isEqualTo(ExitCode.USAGE);
    assertThat(repair("--cut-tail", "--apply").exit()).isEqualTo(ExitCode.USAGE);
    assertThat(KV.run("repair", directory.resolve("none").toString()).exit())
        .isEqualTo(ExitCode.USAGE);
  }
}
