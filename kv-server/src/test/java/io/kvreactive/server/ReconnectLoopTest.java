package io.kvreactive.server;

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
class ReconnectLoopTest {
  @TempDir Path directory;

  @Test
  void resumesWatchesAndListenersAfterARestart() throws Exception {
    int port = Ports.free();
    ServedProcess server = ServedProcess.on(port, directory);
    Map<String, String> environment = server.environment();
    try (KvProcess feed =
            KvProcess.start(environment, "watch", "--all", "--since", "0".repeat(20));
        KvProcess watch = KvProcess.start(environment, "watch", "a");
        KvProcess queue = KvProcess.start(environment, "queue", "listen", "--queue", "q")) {
      assertThat(watch.line()).isEqualTo("[\"a\"]\t");
      run(environment, "set", "a", "1");
      run(environment, "queue", "push", "\"first\"", "--queue", "q");
      assertThat(feed.line()).isEqualTo("00000000000000010000\tset\t[\"a\"]\t1");
      assertThat(watch.line()).isEqualTo("[\"a\"]\t1\t00000000000000010000");
      assertThat(queue.line()).isEqualTo("\"first\"");

      server.close();
      for (KvProcess each : List.of(feed, watch, queue)) {
        Conditions.await(() -> each.err().contains("; trying again"));
      }
      Map<String, String> nobody = Map.of();
      run(nobody, "set", "a", "2", "--path", directory.toString());
      run(nobody, "queue", "push", "2", "--queue", "q", "--path", directory.toString());
      server = ServedProcess.on(port, directory);

      assertThat(feed.line()).as("not the first one again").endsWith("\tset\t[\"a\"]\t2");
      assertThat(watch.line()).startsWith("[\"a\"]\t2\t");
      String message = queue.line();
      while (message.equals("\"first\"")) { // the server may have ended before it was acknowledged
        message = queue.line();
      }
      assertThat(message).isEqualTo("2");
      for (KvProcess each : List.of(feed, watch, queue)) {
        Conditions.await(() -> each.err().contains("kv: connected again"));
      }
    } finally {
      server.close();
    }
  }

  @Test
  void watchesAQueryAndBeginsAgainAfterARestart() throws Exception {
    int port = Ports.free();
    ServedProcess server = ServedProcess.on(port, directory.resolve("store"));
    Map<String, String> environment = server.environment();
    Path definition = directory.resolve("definition.json");
    Files.writeString(definition, "{\"partitionKey\":{\"paths\":[\"/city\"]}}");
    run(environment, "collection", "create", "people", "--policy", definition.toString());
    run(environment, "item", "put", "people", "{\"id\":\"ada\",\"city\":\"oslo\",\"age\":36}");
    run(environment, "item", "put", "people", "{\"id\":\"bob\",\"city\":\"oslo\",\"age\":20}");
    String sql = "SELECT VALUE c.age FROM c WHERE c.age > @age";
    try (KvProcess watch =
        KvProcess.start(environment, "query", "people", sql, "-p", "age=30", "--watch")) {
      assertThat(update(watch)).isEqualTo("insert \"ada\" [\"oslo\"] 36");
      assertThat(update(watch)).isEqualTo("listed");
      run(environment, "item", "put", "people", "{\"id\":\"bob\",\"city\":\"oslo\",\"age\":41}");
      assertThat(update(watch)).isEqualTo("insert \"bob\" [\"oslo\"] 41");
      run(environment, "item", "put", "people", "{\"id\":\"ada\",\"city\":\"oslo\",\"age\":37}");
      assertThat(update(watch)).isEqualTo("update \"ada\" [\"oslo\"] 37");
      run(environment, "item", "del", "people", "bob", "--partition", "oslo");
      assertThat(update(watch)).isEqualTo("remove \"bob\" [\"oslo\"]");

      server.close();
      Conditions.await(() -> watch.err().contains("; trying again"));
      server = ServedProcess.on(port, directory.resolve("store"));
      assertThat(update(watch)).isEqualTo("insert \"ada\" [\"oslo\"] 37");
      assertThat(update(watch)).isEqualTo("listed");
    } finally {
      server.close();
    }
  }

  /** Returns the next update without its versionstamp. */
  private static String update(KvProcess watch) throws IOException {
    String line = watch.line();
    return line.substring(line.indexOf('\t') + 1).replace('\t', ' ');
  }

  private static void run(Map<String, String> environment, String... arguments) throws Exception {
    KvProcess.Result result = KvProcess.run(environment, "", arguments);
    assertThat(result.exit()).as(result.err()).isZero();
  }

  @Test
  void failsForAServerThatWasNeverReached() throws Exception {
    Map<String, String> nobody = Map.of("KV_URL", "http://127.0.0.1:1");
    for (String[] command :
        new String[][] {
          {"watch", "a"}, {"watch", "--all"}, {"queue", "listen"}, {"query", "a", "", "--watch"}
        }) {
      KvProcess.Result result = KvProcess.run(nobody, "", command);
      assertThat(result.exit()).isEqualTo(ExitCode.UNREACHABLE);
      assertThat(result.err()).startsWith("kv: cannot reach ").hasLineCount(1);
    }
  }
}
