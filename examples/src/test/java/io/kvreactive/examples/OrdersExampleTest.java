package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.DocumentStore;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Size;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class OrdersExampleTest {
  private static final String TOKEN = "token-of-the-orders-test";
  private static final ServerOptions SERVER =
      ServerOptions.inMemory().withAddress("127.0.0.1", 0).withToken(TOKEN);
  private static final List<String> OUTPUT_FOR_20 =
      List.of(
          "20 orders placed",
          "no: 8 orders of 80.68 shipped",
          "no: 2 orders of 20.37 cancelled",
          "uk: 8 orders of 80.52 shipped",
          "uk: 2 orders of 20.33 cancelled",
          "orders of 10.00 to 10.19",
          "12 with tea, 4 tea pots",
          "ada has 4 invoices of 40.24 together, 1 of them large, and a credit of 10.16",
          "bob has 4 invoices of 40.28 together, 1 of them large, and a credit of 10.12",
          "eve has 4 invoices of 40.32 together, 2 of them large, and a credit of 10.08",
          "joe has 4 invoices of 40.36 together, 2 of them large, and a credit of 10.04",
          "16 orders archived",
          "4 cancelled orders deleted",
          "joe has left: 4 orders and 6 entries of the ledger deleted",
          "the orders of ada changed 19 times",
          "the orders of bob changed 19 times",
          "the orders of eve changed 19 times",
          "the orders of joe changed 23 times",
          "the audit has 80 changes");
  private static final List<String> DELETED_STATES =
      List.of("4 deleted orders were archived", "4 deleted orders were cancelled");
  private static final List<String> UNKNOWN_STATES =
      List.of("8 deleted orders were of unknown state: the store does not keep previous values");

  @RegisterExtension final MemoryStore store = new MemoryStore();
  @TempDir Path directory;

  private List<String> run(int orders) {
    CapturedScreen captured = new CapturedScreen();
    await(OrdersExample.run(DocumentStore.over(store.kv()), captured.screen(false), orders));
    return captured.lines();
  }

  private static CapturedScreen launch(
      int status, Map<String, String> environment, String... args) {
    CapturedScreen captured = new CapturedScreen();
    Launcher launcher = OrdersExample.launcher(captured.screen(false));
    Size size = new Size("orders", 20);
    assertThat(await(launcher.runOnCollections(args, environment, size, OrdersExample::run)))
        .describedAs(captured.err())
        .isEqualTo(status);
    return captured;
  }

  private static List<String> outputWith(List<String> states) {
    return Stream.concat(OUTPUT_FOR_20.stream(), states.stream()).toList();
  }

  @Test
  void tellsThatTheStoreKeepsNoPreviousValues() {
    assertThat(run(20)).containsExactlyElementsOf(outputWith(UNKNOWN_STATES));
  }

  @Test
  void continuesInTheNextRun() {
    run(4); // ada's order is paid, the others cost more than was deposited
    assertThat(run(4))
        .contains(
            "uk: 2 orders of 20.01 shipped", // the deposits are added up
            "no: 1 orders of 10.02 shipped",
            "no: 1 orders of 10.03 cancelled", // except for joe, who had left
            "orders of 10.00 to 10.03",
            "ada has 2 invoices of 20.00 together, 0 of them large, and a credit of 0.20",
            "3 orders archived",
            "1 cancelled orders deleted",
            "joe has left: 0 orders and 2 entries of the ledger deleted",
            "the orders of joe changed 3 times",
            "the audit has 15 changes");
  }

  @Test
  void opensTheStoreOfADirectory() {
    List<String> lines = launch(0, Map.of(), "--path", directory.toString()).lines();
    assertThat(lines).first().asString().startsWith("opened " + directory);
    assertThat(lines.subList(1, lines.size()))
        .containsExactlyElementsOf(outputWith(DELETED_STATES));
  }

  @Test
  void runsOnTheCollectionsOfAServer() throws Exception {
    KvServer server = await(KvServer.start(store.vertx(), SERVER));
    try {
      String url = server.uri().toString();
      List<String> lines = launch(0, Map.of("KV_TOKEN", TOKEN), "--url", url).lines();
      assertThat(lines).first().asString().startsWith("connected to " + url);
      assertThat(lines.subList(1, lines.size()))
          .containsExactlyElementsOf(outputWith(UNKNOWN_STATES));

      Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
      assertThat(launch(0, Map.of("KV_TOKEN_FILE", file.toString()), "--url=" + url).lines())
          .contains("ada has 9 invoices of 90.64 together, 3 of them large, and a credit of 10.26");

      assertThat(launch(1, Map.of("KV_TOKEN", "wrong"), "--url", url).err())
          .startsWith("error: UNAUTHENTICATED");
      assertThat(launch(1, Map.of("KV_TOKEN_FILE", file + "-none"), "--url", url).err())
          .contains("KV_TOKEN_FILE: " + file + "-none");
    } finally {
      await(server.close());
    }
  }

  @Test
  void readsPreviousValuesOfAServerThatKeepsThem() {
    KvServer server =
        await(
            KvServer.start(
                store.vertx(),
                SERVER.withOperations(
                    OperationsOptions.DEFAULT.withStores(kept -> kept.withOldValues(true)))));
    try {
      String url = server.uri().toString();
      assertThat(launch(0, Map.of("KV_TOKEN", TOKEN), "--url", url).lines())
          .endsWith(DELETED_STATES.toArray(String[]::new));
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
