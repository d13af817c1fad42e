package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static io.kvreactive.server.KvRunner.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@ExtendWith(VertxExtension.class)
class CommandsTest {
  @TempDir Path directory;

  @Test
  void behaveAlikeOnAServerAndOnADirectory(Vertx vertx) throws Exception {
    List<String> remote;
    try (TestServer server = TestServer.start(vertx)) {
      remote = story(KvRunner.on(server));
    }
    List<String> local = story(KV.in(directory.resolve("local")));
    assertThat(remote)
        .containsExactly(
            "0 00000000000000010000",
            "0 {\"name\":\"Ada\",\"n\":1.0}",
            "0 {\"key\":[\"users\",\"ada\"],\"value\":{\"name\":\"Ada\",\"n\":1.0},"
                + "\"versionstamp\":\"00000000000000010000\"}",
            "1 ",
            "1 {\"committed\":false,\"failedChecks\":[0]}",
            "0 {\"committed\":true,\"versionstamp\":\"00000000000000020000\"}",
            "0 [\"c\"]\t{\"$u64\":\"5\"}\n[\"users\",\"ada\"]\t{\"name\":\"Ada\",\"n\":1.0}",
            "0 [\"users\",\"ada\"]",
            "0 2 entries",
            "2 ",
            "0 {\"x\":[1]}",
            "0 00000000000000070000");
    assertThat(local.subList(0, 9)).isEqualTo(remote.subList(0, 9));
    assertThat(local.get(9)).isEqualTo("2 ");
  }

  private static List<String> story(KvRunner kv) throws Exception {
    List<String> told = new ArrayList<>();
    told.add(text(kv.with("{\"name\":\"Ada\",\"n\":1.0}", "set", "users/ada", "-")));
    told.add(text(kv.run("get", "users/ada")));
    told.add(text(kv.run("get", "[\"users\",\"ada\"]", "-o", "json")));
    told.add(text(kv.run("get", "nothing")));
    told.add(text(kv.run("set", "users/ada", "1", "--if-absent", "-o", "json")));
    told.add(
        text(
            kv.with(
                "{\"mutations\":[{\"type\":\"sum\",\"key\":[\"c\"],\"value\":{\"$u64\":\"5\"}}]}",
                "atomic",
                "-o",
                "json")));
    told.add(text(kv.run("list")));
    told.add(text(kv.run("list", "--prefix", "users", "--keys-only", "--reverse")));
    String lines = kv.run("export").out();
    told.add(text(kv.with(lines + "\n", "import")));
    told.add(text(kv.run("get", "[\"users\"")));
    kv.run("queue", "push", "{\"x\":[1]}", "--queue", "q");
    told.add(text(kv.run("queue", "listen", "--queue", "q", "--count", "1")));
    told.add(text(kv.run("del", "--prefix", "users")));
    return told;
  }

  @Test
  void printsTheLimitsAndTheIdOfAStore() throws Exception {
    String store = directory.resolve("described").toString();
    KV.run("set", "a", "1", "--path", store);
    String id = KV.run("info", "--path", store).out();
    assertThat(id).containsPattern("(?m)^databaseId\t[0-9a-f-]{36}$");
    assertThat(id).contains("\nlimits.maxKeyBytes\t").contains("\ngrant.databases\t[]");
    assertThat(KV.run("info", "--path", store, "-o", "json").out()).startsWith("{\"version\":");
  }

  @Test
  void mapsErrorsToExitCodes(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      assertThat(KvRunner.on(server).run("health").exit()).isZero();
      Map<String, String> wrong = Map.of("KV_URL", server.uri("").toString(), "KV_TOKEN", "wrong");
      KvProcess.Result refused = KvProcess.run(wrong, "", "get", "a");
      assertThat(refused.exit()).isEqualTo(4);
      assertThat(refused.err()).startsWith("kv: ").contains("UNAUTHENTICATED").hasLineCount(1);
    }
    Map<String, String> nobody = Map.of("KV_URL", "http://127.0.0.1:1");
    assertThat(KvProcess.run(nobody, "", "get", "a").exit()).isEqualTo(3);
    assertThat(KV.run("get").exit()).isEqualTo(2);
    assertThat(KV.run("get", "a", "--path", directory + "/none").exit()).isEqualTo(2);
  }

  @Test
  void verifiesAndRestoresBackups() throws Exception {
    String store = directory.resolve("store").toString();
    String backup = directory.resolve("backup").toString();
    String restored = directory.resolve("restored").toString();
    KV.run("set", "a", "1", "--path", store);
    assertThat(KV.run("backup", backup, "--path", store).exit()).isZero();
    assertThat(KV.run("verify", backup).out()).startsWith("sound: 1 key in the image, ");
    assertThat(KV.run("verify", store).out())
        .as("all that was committed is in the log alone")
        .startsWith("sound: 0 keys in the image, 1 commit in the log, up to 0");
    String later = KV.run("set", "a", "2", "--path", store).out();
    KV.run("set", "a", "3", "--path", store);
    KvProcess.Result restore =
        KV.run("restore", backup, restored, "--log", store, "--until", later);
    assertThat(restore.out()).startsWith(later);
    assertThat(KV.run("get", "a", "--path", restored).out()).isEqualTo("2");
  }

  @Test
  void endsAListQuietlyWhenItsReaderCloses() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      lines.append("{\"key\":[").append(i).append("],\"value\":\"").append("x".repeat(200));
      lines.append("\"}\n");
    }
    String store = directory.resolve("many").toString();
    assertThat(KV.with(lines.toString(), "import", "--path", store).out())
        .isEqualTo("2000 entries");
    String list = String.join(" ", KvProcess.command("list", "--path", store)).replace("$", "\\$");
    Process shell =
        new ProcessBuilder("bash", "-c", list + " | head -n 1; echo ${PIPESTATUS[0]}")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(shell.getInputStream().readAllBytes()))
        .isEqualTo("[0]\t\"" + "x".repeat(200) + "\"\n0\n");
  }

  @Test
  void storesBytesUnchanged() throws Exception {
    String store = directory.resolve("bytes").toString();
    assertThat(KV.run("set", "b", "--as", "bytes", "hi", "--path", store).exit()).isZero();
    assertThat(KV.run("get", "b", "--path", store).out()).isEqualTo("{\"$bytes\":\"aGk=\"}");
    assertThat(KV.run("get", "b", "--as", "bytes", "--path", store).out()).isEqualTo("hi");
    KvProcess.Result other = KV.run("get", "b", "--as", "string", "--path", store);
    assertThat(other.exit()).isEqualTo(2);
    assertThat(other.out()).isEmpty();
    assertThat(other.err()).contains("the value is not a string: {\"$bytes\"");
  }

  @Test
  void storesStringsUnchanged() throws Exception {
    String store = directory.resolve("strings").toString();
    String text = "two\n\"lines\" ä";
    assertThat(KV.with(text, "set", "s", "-", "--as", "string", "--path", store))
        .returns(0, KvProcess.Result::exit);
    assertThat(KV.run("get", "s", "--as", "string", "--path", store).out()).isEqualTo(text);
    assertThat(KV.run("get", "s", "--as", "bytes", "--path", store).exit()).isEqualTo(2);
  }

  @Test
  void createsTokensWithAnExpiry(Vertx vertx) throws Exception {
    try (TestServer server =
        TestServer.start(vertx, ServerOptions.at(directory.resolve("tokens")))) {
      KvRunner there = KvRunner.on(server);
      var created = there.run("token", "create", "t", "--access", "READ", "--expire-in", "1h");
      assertThat(created.exit()).as(created.err()).isZero();
      assertThat(there.run("token", "list", "-o", "json").out()).contains("expiresAt");
      assertThat(there.run("token", "list").out())
          .matches("t\tREAD\tall keys\tall databases\tuntil 20[0-9T:.-]+Z");
    }
  }

  @Test
  void listsTokensWithTheirGrants(Vertx vertx) throws Exception {
    try (TestServer server =
        TestServer.start(vertx, ServerOptions.at(directory.resolve("tokens")))) {
      KvRunner there = KvRunner.on(server);
      String[] create = {
        "token",
        "create",
        "app",
        "--access",
        "write,read",
        "--prefix",
        "users",
        "--prefix",
        "[\"orders\",7]",
        "--database",
        "main",
        "--database",
        "other"
      };
      assertThat(there.run(create).exit()).isZero();
      assertThat(there.run("token", "list").out())
          .isEqualTo("app\tREAD,WRITE\t[\"users\"],[\"orders\",7]\tmain,other\twithout end");
    }
  }

  @Test
  void writesACompletionScriptThatBashAccepts() throws Exception {
    KvProcess.Result script = KV.run("completion", "bash");
    assertThat(script.exit()).isZero();
    Path file = Files.writeString(directory.resolve("kv-completion"), script.out() + "\n");
    Process bash =
        new ProcessBuilder(
                "bash",
                "-c",
                "source "
                    + file
                    + "; COMP_WORDS=(kv qu); COMP_CWORD=1; _complete_kv; echo ${COMPREPLY[*]}")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(bash.getInputStream().readAllBytes()).strip()).endsWith("queue query");
  }
}
