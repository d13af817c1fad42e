package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static io.kvreactive.server.KvRunner.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv item} and commands on partitions and changes of a collection. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class ItemCommandsTest {
  private static final String NAME = "items";

  @TempDir Path directory;

  @Test
  void worksOnPartitionsAlikeOnAServerAndOnADirectory(Vertx vertx) throws Exception {
    Path policy = directory.resolve("definition.json");
    Files.writeString(policy, "{\"partitionKey\":{\"paths\":[\"/city\",\"/n\"]}}");
    List<String> remote;
    try (TestServer server = TestServer.start(vertx)) {
      remote = partitions(policy, KvRunner.on(server));
      List<String> follow = new ArrayList<>(changes("0/2"));
      follow.addAll(List.of("--follow", "--details", "--since", "00000000000000000000"));
      try (KvProcess feed =
          KvProcess.start(KvRunner.environment(server), follow.toArray(String[]::new))) {
        for (String id : ids(remote.get(9))) {
          String change = feed.line();
          assertThat(ids(change)).containsExactly(id);
          assertThat(change).containsPattern("\"millis\":1\\d{12}}");
        }
      }
    }
    List<String> local = partitions(policy, KV.in(directory.resolve("local")));
    assertThat(remote)
        .containsExactly(
            "0 201 201 200",
            "1 ",
            "operation 1: item \"b\" already exists",
            "0 8",
            "1 ",
            "0 8\n2",
            "0 2",
            "0 2",
            "0 ",
            remote.get(9),
            remote.get(10),
            "2 index of the range: 2 (expected: 0 to 1)",
            "2 kv: range: 0/2 (expected: none with a partition key) (INVALID_ARGUMENT)");
    List<String> divided = new ArrayList<>(ids(remote.get(9)));
    divided.addAll(ids(remote.get(10)));
    assertThat(divided).containsExactlyInAnyOrder("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7");
    assertThat(ids(remote.get(9))).hasSizeBetween(1, 7);
    assertThat(local).isEqualTo(remote);
  }

  private static List<String> changes(String range) {
    return List.of("collection", "changes", NAME, "--range", range);
  }

  /** Returns the ids of the items of changes. */
  private static List<String> ids(String changes) {
    return Pattern.compile("\"type\":\"upsert\",\"id\":\"(\\w+)\"")
        .matcher(changes)
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static List<String> partitions(Path policy, KvRunner kv) throws Exception {
    List<String> told = new ArrayList<>();
    kv.run("collection", "create", NAME, "--policy", policy.toString());
    String create =
        "{\"partitionKey\":[\"Oslo\",1],\"operations\":[%s{\"op\":\"create\",\"item\":"
            + "{\"id\":\"b\",\"city\":\"Oslo\",\"n\":1,\"v\":2}},{\"op\":\"read\",\"id\":\"b\"}]}";
    String first = "{\"op\":\"upsert\",\"item\":{\"id\":\"a\",\"city\":\"Oslo\",\"n\":1,\"v\":7}},";
    KvProcess.Result batch = kv.run("item", "batch", NAME, create.formatted(first));
    told.add(
        batch.exit()
            + Pattern.compile("\"status\" *: *(\\d+)")
                .matcher(batch.out())
                .results()
                .map(match -> " " + match.group(1))
                .collect(Collectors.joining()));
    KvProcess.Result again = kv.with(create.formatted(first), "item", "batch", NAME, "-");
    told.add(text(again));
    told.add(again.err().replaceAll("(?s).*(operation 1: .* exists).*", "$1"));
    String patch =
        "{\"operations\":[{\"op\":\"incr\",\"path\":\"/v\",\"value\":1}],\"filter\":\"c.v < 8\"}";
    String[] item = {"item", "patch", NAME, "a", patch, "--partition", "[\"Oslo\",1]"};
    KvProcess.Result patched = kv.run(item);
    told.add(patched.exit() + patched.out().replaceAll("(?s).*\"v\" *: *(\\d+).*", " $1"));
    told.add(text(kv.run(item)));
    told.add(text(kv.run("query", NAME, "SELECT VALUE c.v FROM c", "--partition", "[\"Oslo\"]")));
    KvProcess.Result list = kv.run("item", "list", NAME, "--partition", "[\"Oslo\",1]");
    told.add(list.exit() + " " + list.out().lines().count());
    told.add(text(kv.run("item", "clear", NAME, "--partition", "[\"Oslo\"]")));
    told.add(text(kv.run("item", "list", NAME, "--partition", "\"Oslo\"")));
    String items =
        IntStream.range(0, 8)
            .mapToObj("{\"id\":\"n%1$d\",\"city\":\"Bergen\",\"n\":%1$d}\n"::formatted)
            .collect(Collectors.joining());
    kv.with(items, "collection", "load", NAME, "-");
    for (String range : List.of("0/2", "1/2")) {
      KvProcess.Result page = kv.run(changes(range).toArray(String[]::new));
      told.add(page.exit() + " " + page.out().replaceAll("[0-9a-f]{20}|\"_ts\":\\d+", ""));
    }
    KvProcess.Result beyond = kv.run("collection", "changes", NAME, "--range", "2/2");
    told.add(
        beyond.exit() + beyond.err().replaceAll("(?s).*'--range'.*?( index .*? 1\\)).*", "$1"));
    KvProcess.Result both =
        kv.run("collection", "changes", NAME, "--range", "0/2", "--partition", "\"Oslo\"");
    told.add(both.exit() + " " + both.err().strip());
    return told;
  }

  @Test
  void changesItemsUnderConditions() throws Exception {
    List<String> told = new ArrayList<>();
    String path = directory.resolve("store").toString();
    Path policy = directory.resolve("definition.json");
    Files.writeString(policy, "{\"partitionKey\":{\"paths\":[\"/city\"]}}");
    KV.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    String patch = "{\"operations\":[{\"op\":\"incr\",\"path\":\"/v\",\"value\":1}]}";
    String item = "{\"id\":\"a\",\"city\":\"Oslo\",\"v\":1}";
    KvProcess.Result first = KV.run("item", "put", NAME, item, "--if-absent", "--path", path);
    told.add(first.exit() + " " + first.err().strip());
    String etag = first.out().replaceAll("(?s).*\"_etag\" *: *\"(\\w+)\".*", "$1");
    List<List<String>> commands =
        List.of(
            List.of("item", "put", NAME, item, "--if-absent"),
            List.of("item", "put", NAME, item, "--if-absent", "--if-versionstamp", etag),
            List.of("item", "put", NAME, item, "--if-versionstamp", "x"),
            List.of("item", "put", NAME, item, "--if-versionstamp", etag),
            List.of("item", "put", NAME, item, "--if-versionstamp", etag),
            List.of("item", "patch", NAME, "a", patch, "--if-versionstamp", etag),
            List.of(
                "item",
                "patch",
                NAME,
                "a",
                patch,
                "--if-versionstamp",
                etag,
                "--partition",
                "Oslo"),
            List.of("item", "del", NAME, "a", "--if-versionstamp", etag, "--partition", "Oslo"));
    for (List<String> command : commands) {
      List<String> line = new ArrayList<>(command);
      line.addAll(List.of("--path", path));
      KvProcess.Result result = KV.run(line.toArray(String[]::new));
      told.add(
          result.exit()
              + (result.err().contains("name it: --partition") ? " hint" : "")
              + (result.err().contains("kv: replaced") ? " replaced" : ""));
    }
    assertThat(told)
        .containsExactly("0 kv: created", "1", "2", "2", "0 replaced", "1", "2 hint", "1", "1");
  }

  @Test
  void deletesTheItemsOfAPartitionThatAQueryFinds() throws Exception {
    String path = directory.resolve("store").toString();
    Path policy = directory.resolve("definition.json");
    Files.writeString(policy, "{\"partitionKey\":{\"paths\":[\"/city\"]}}");
    KV.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    String items =
        """
        {"id":"a","city":"Oslo","v":1}
        {"id":"b","city":"Oslo","v":2}
        {"id":"c","city":"Bergen","v":1}
        """;
    KV.with(items, "collection", "load", NAME, "--path", path);
    String sql = "SELECT * FROM c WHERE c.v = 1";
    String[] command = {
      "collection", "delete-items", NAME, sql, "--partition", "Oslo", "--path", path
    };
    assertThat(text(KV.run(command)))
        .isEqualTo("0 1 item deleted, 0 left because they had changed");
    assertThat(text(KV.run("query", NAME, "SELECT VALUE c.id FROM c", "--path", path)))
        .isEqualTo("0 \"b\"\n\"c\"");
  }

  @Test
  void keepsPreviousValuesOnAServerAndInADirectory(Vertx vertx) throws Exception {
    String kept =
        "{\"versionstamp\":\"\",\"type\":\"delete\",\"id\":\"ada\","
            + "\"previous\":{\"id\":\"ada\",\"age\":36,\"_etag\":\"\"}}";
    Path data = directory.resolve("served");
    ServerOptions options = ServerOptions.at(data);
    OperationsOptions operations =
        options.operations().withStores(store -> store.withOldValues(true));
    try (TestServer server = TestServer.start(vertx, options.withOperations(operations))) {
      assertThat(deletion(KvRunner.on(server))).isEqualTo(kept);
    }
    KvRunner local = KV.in(data); // a directory that a server kept previous values in
    KvRunner keeping = local.and("--old-values");
    assertThat(lastDeletion(local)).doesNotContain("previous");
    assertThat(lastDeletion(keeping)).isEqualTo(kept);
    assertThat(deletion(keeping)).isEqualTo(kept);
    Map<String, String> variable = Map.of("KV_OLD_VALUES", "true");
    assertThat(lastDeletion(KV.with(variable).and("--path", data.toString()))).isEqualTo(kept);
    assertThat(deletion(local)).doesNotContain("previous");
    assertThat(lastDeletion(keeping)).doesNotContain("previous"); // it was not kept

    KvProcess.Result remote = KV.run("collection", "changes", NAME, "--old-values");
    assertThat(remote.exit()).isEqualTo(2);
    assertThat(remote.err()).contains("--old-values without --path");
  }

  /** Stores and deletes an item, and returns the last change of the collection. */
  private static String deletion(KvRunner kv) throws Exception {
    kv.run("collection", "create", NAME);
    kv.run("item", "put", NAME, "{\"id\":\"ada\",\"age\":36}");
    assertThat(kv.run("item", "del", NAME, "ada").exit()).isZero();
    return lastDeletion(kv);
  }

  private static String lastDeletion(KvRunner kv) throws Exception {
    KvProcess.Result changes = kv.run("collection", "changes", NAME, "--mode", "all");
    return changes
        .out()
        .lines()
        .filter(line -> line.contains("\"delete\""))
        .reduce((a, b) -> b)
        .orElse(changes.err())
        .replaceAll("[0-9a-f]{20}|\"_ts\":\\d+,", "");
  }
}
