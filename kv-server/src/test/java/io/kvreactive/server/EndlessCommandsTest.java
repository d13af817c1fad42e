package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Conditions;
import io.kvreactive.web.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Endless commands survive a restart of the server. */
@Timeout(600)
class EndlessCommandsTest {
  @TempDir Path directory;

  @Test
  void resumeAfterARestart() throws Exception {
    int port = Ports.free();
    ServedProcess server = ServedProcess.on(port, directory);
    Map<String, String> environment = server.environment();
    Map<String, String> ofPeople =
        Map.of("KV_URL", server.url + "/db/people", "KV_TOKEN", ServedProcess.TOKEN);
    KvRunner people = KV.with(ofPeople);
    Path definition = directory.resolve("definition.json");
    Files.writeString(definition, "{\"partitionKey\":{\"paths\":[\"/city\"]}}");
    run(people, "collection", "create", "people", "--policy", definition.toString());
    put(people, "ada", 36);
    put(people, "bob", 20);
    String sql = "SELECT VALUE c.age FROM c WHERE c.age > @age";
    try (KvProcess feed =
            KvProcess.start(environment, "watch", "--all", "--since", "0".repeat(20));
        KvProcess watch = KvProcess.start(environment, "watch", "a");
        KvProcess queue = KvProcess.start(environment, "queue", "listen", "--queue", "q");
        KvProcess changes =
            KvProcess.start(ofPeople, "collection", "changes", "people", "--follow");
        KvProcess rows =
            KvProcess.start(ofPeople, "query", "people", sql, "-p", "age=30", "--watch")) {
      assertThat(watch.line()).isEqualTo("[\"a\"]\t");
      run(server.commands(), "set", "a", "1");
      run(server.commands(), "queue", "push", "\"first\"", "--queue", "q");
      assertThat(feed.line()).isEqualTo("00000000000000010000\tset\t[\"a\"]\t1");
      assertThat(watch.line()).isEqualTo("[\"a\"]\t1\t00000000000000010000");
      assertThat(queue.line()).isEqualTo("\"first\"");
      assertThat(update(rows)).isEqualTo("insert \"ada\" [\"oslo\"] 36");
      assertThat(update(rows)).isEqualTo("listed");
      put(people, "bob", 41);
      assertThat(update(rows)).isEqualTo("insert \"bob\" [\"oslo\"] 41");
      put(people, "ada", 37);
      while (!changes.line().contains("\"age\":37")) {
        // the changes since it began, which may be after the first ones
      }
      assertThat(update(rows)).isEqualTo("update \"ada\" [\"oslo\"] 37");
      run(people, "item", "del", "people", "bob", "--partition", "oslo");
      assertThat(update(rows)).isEqualTo("remove \"bob\" [\"oslo\"]");

      server.close();
      for (KvProcess each : List.of(feed, watch, queue, changes, rows)) {
        Conditions.await(() -> each.err().contains("; trying again"));
      }
      run(KV, "set", "a", "2", "--path", directory.toString());
      run(KV, "queue", "push", "2", "--queue", "q", "--path", directory.toString());
      server = ServedProcess.on(port, directory);

      assertThat(feed.line()).as("not the first one again").endsWith("\tset\t[\"a\"]\t2");
      assertThat(watch.line()).startsWith("[\"a\"]\t2\t");
      String message = queue.line();
      while (message.equals("\"first\"")) { // the server may have ended before it was acknowledged
        message = queue.line();
      }
      assertThat(message).isEqualTo("2");
      assertThat(update(rows)).as("begins again").isEqualTo("insert \"ada\" [\"oslo\"] 37");
      assertThat(update(rows)).isEqualTo("listed");
      run(people, "item", "del", "people", "ada", "--partition", "oslo");
      put(people, "eve", 1);
      assertThat(changes.line()).as("latest versions only").contains("\"age\":1");
      for (KvProcess each : List.of(feed, watch, queue, changes, rows)) {
        Conditions.await(() -> each.err().contains("kv: connected again"));
        assertThat(each.err()).hasLineCount(2);
      }
    } finally {
      server.close();
    }
  }

  private static void put(KvRunner people, String id, int age) throws Exception {
    String item = "{\"id\":\"%s\",\"city\":\"oslo\",\"age\":%d}".formatted(id, age);
    run(people, "item", "put", "people", item);
  }

  /** Returns the next update without its versionstamp. */
  private static String update(KvProcess watch) throws IOException {
    String line = watch.line();
    return line.substring(line.indexOf('\t') + 1).replace('\t', ' ');
  }

  private static void run(KvRunner kv, String... arguments) throws Exception {
    KvProcess.Result result = kv.run(arguments);
    assertThat(result.exit()).as(result.err()).isZero();
  }

  @Test
  void failWithTheAnswerToTheHandshake() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory)) {
      KvProcess.Result refused = server.commands().run("watch", "a", "--token", "wrong");
      assertThat(refused.exit()).isEqualTo(ExitCode.REFUSED);
      assertThat(refused.err()).isEqualTo("kv: unknown bearer token (UNAUTHENTICATED)\n");
    }
  }

  @Test
  void areTheOnlyOnesThatStartVertx() throws Exception {
    List<String> get = KvProcess.command("get", "a");
    get.add(get.indexOf(KvMain.class.getName()), "-Xlog:class+load"); // after that of the archive
    try (ServedProcess server = ServedProcess.at(directory);
        KvProcess kv = KvProcess.launch(server.environment(), get)) {
      KvProcess.Result result = kv.end();
      assertThat(result.exit()).isEqualTo(ExitCode.NO);
      assertThat(result.out()).contains("server.KvMain").doesNotContain(" io.vertx.", " io.netty.");
    }
  }

  @Test
  void failsForAServerThatWasNeverReached() throws Exception {
    KvRunner nobody = KV.with(Map.of("KV_URL", "http://127.0.0.1:1"));
    for (String[] command :
        new String[][] {
          {"watch", "a"},
          {"watch", "--all"},
          {"queue", "listen"},
          {"collection", "changes", "a", "--follow"},
          {"query", "a", "", "--watch"}
        }) {
      KvProcess.Result result = nobody.run(command);
      assertThat(result.exit()).isEqualTo(ExitCode.UNREACHABLE);
      assertThat(result.err()).startsWith("kv: cannot reach ").hasLineCount(1);
    }
  }
}
