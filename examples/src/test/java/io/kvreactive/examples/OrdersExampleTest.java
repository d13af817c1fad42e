package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Size;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class OrdersExampleTest {
  private static final String TOKEN = "token-of-the-orders-test";
  private static final List<String> OUTPUT_FOR_20 =
      List.of(
          "20 orders placed",
          "20 orders shipped by 2 members",
          "ada has 5 invoices of 50.40 together, 2 of them large",
          "bob has 5 invoices of 50.45 together, 2 of them large",
          "eve has 5 invoices of 50.50 together, 3 of them large",
          "joe has 5 invoices of 50.55 together, 3 of them large");

  @RegisterExtension final MemoryStore store = new MemoryStore();
  @TempDir Path directory;

  private CapturedScreen run(int orders) {
    CapturedScreen captured = new CapturedScreen();
    await(OrdersExample.run(DocumentStore.over(store.kv()), captured.screen(false), orders));
    return captured;
  }

  private CapturedScreen launch(int status, Map<String, String> environment, String... args) {
    CapturedScreen captured = new CapturedScreen();
    Launcher launcher = new Launcher("orders", captured.screen(false));
    Size size = new Size("orders", 20);
    assertThat(await(launcher.runOnCollections(args, environment, size, OrdersExample::run)))
        .describedAs(captured.err())
        .isEqualTo(status);
    return captured;
  }

  @Test
  void billsAndShipsEachOrderOnce() {
    assertThat(run(20).lines()).containsExactlyElementsOf(OUTPUT_FOR_20);
  }

  @Test
  void continuesInTheNextRun() {
    run(4);
    assertThat(run(4).lines())
        .contains(
            "4 orders shipped by 2 members",
            "ada has 2 invoices of 20.00 together, 0 of them large");
  }

  @Test
  void opensTheStoreOfADirectory() {
    List<String> lines = launch(0, Map.of(), "--path", directory.toString()).lines();
    assertThat(lines).first().asString().startsWith("opened " + directory);
    assertThat(lines.subList(1, lines.size())).containsExactlyElementsOf(OUTPUT_FOR_20);
  }

  @Test
  void runsOnTheCollectionsOfAServer() throws Exception {
    KvServer server =
        await(
            KvServer.start(
                store.vertx(),
                ServerOptions.inMemory().withAddress("127.0.0.1", 0).withToken(TOKEN)));
    try {
      String url = server.uri().toString();
      List<String> lines = launch(0, Map.of("KV_TOKEN", TOKEN), "--url", url).lines();
      assertThat(lines).first().asString().startsWith("connected to " + url);
      assertThat(lines.subList(1, lines.size())).containsExactlyElementsOf(OUTPUT_FOR_20);

      Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
      assertThat(launch(0, Map.of("KV_TOKEN_FILE", file.toString()), "--url=" + url).lines())
          .contains("ada has 10 invoices of 100.80 together, 4 of them large");

      assertThat(launch(1, Map.of("KV_TOKEN", "wrong"), "--url", url).err())
          .startsWith("error: UNAUTHENTICATED");
      assertThat(launch(1, Map.of("KV_TOKEN_FILE", file + "-none"), "--url", url).err())
          .contains("KV_TOKEN_FILE: " + file + "-none");
    } finally {
      await(server.close());
    }
  }

  @Test
  void explainsTheUrlOfAServer() {
    assertThat(launch(2, Map.of(), "--help").err())
        .contains("usage: orders [--path DIR] [--orders N], or --url postgresql://...")
        .contains("--url http://... of a server");
  }
}
