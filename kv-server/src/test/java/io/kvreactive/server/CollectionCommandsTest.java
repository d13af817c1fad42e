package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.NearbyPlaces;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv collection}, {@code kv item} and {@code kv query}. */
@Timeout(600)
class CollectionCommandsTest {
  /** 4 MB, which are sent to a server in parts. */
  private static final String LINES =
      IntStream.range(0, 3999)
              .mapToObj(i -> "{\"id\":\"b%d\",\"text\":\"%s\"}\n".formatted(i, "x".repeat(1000)))
              .collect(Collectors.joining())
          + "{\"id\":\"bob\",\"city\":\"Oslo\",\"age\":7}";

  /** The definition of a collection is sent unchanged, for any name of the collection. */
  private static final String NAME = "import";

  @TempDir Path directory;

  /** Runs a command on a server, or on a directory. */
  @FunctionalInterface
  private interface Runner {
    KvProcess.Result with(String input, String... arguments) throws Exception;

    default KvProcess.Result run(String... arguments) throws Exception {
      return with("", arguments);
    }
  }

  @Test
  void behaveAlikeOnAServerAndOnADirectory() throws Exception {
    Path policy = directory.resolve("policy.json");
    Files.writeString(
        policy,
        "{\"includedPaths\":[{\"path\":\"/*\"}],\"excludedPaths\":[],\"compositeIndexes\":"
            + "[[{\"path\":\"/city\"},{\"path\":\"/age\"}]]}");
    Path lines = directory.resolve("people.ndjson.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(lines))) {
      out.write(LINES.getBytes(StandardCharsets.UTF_8));
    }
    List<String> remote;
    try (ServedProcess server = ServedProcess.at(directory.resolve("served"))) {
      remote =
          story(policy, lines, (input, args) -> KvProcess.run(server.environment(), input, args));
    }
    List<String> local =
        story(
            policy,
            lines,
            (input, args) -> {
              List<String> all = new ArrayList<>(List.of(args));
              all.add("--path");
              all.add(directory.resolve("local").toString());
              return KvProcess.run(Map.of(), input, all.toArray(String[]::new));
            });
    assertThat(remote)
        .containsExactly(
            "0 import\tdefinition 1\tindexes 100 %",
            "1 ",
            "0 4000 items",
            "0 \"ada\"",
            "0 composite",
            "0 100 %",
            "0 {\"id\":\"bob\"}\n{\"id\":\"ada\"}",
            "2 ",
            "{\"versionstamp\":\"\",\"type\":\"upsert\",\"id\":\"ada\",\"item\":"
                + "{\"id\":\"ada\",\"city\":\"Oslo\",\"age\":36,,\"_etag\":\"\"}}\n"
                + "continuation\t\thasMore\ttrue",
            "2 ",
            "0 1 item deleted, 0 left because they had changed",
            "2  line 4001, column 7: unexpected end",
            "0 ",
            "1 ",
            "0 ",
            "1 ");
    assertThat(local).isEqualTo(remote);
  }

  @Test
  void worksOnPartitionsAlikeOnAServerAndOnADirectory() throws Exception {
    Path policy = directory.resolve("definition.json");
    Files.writeString(policy, "{\"partitionKey\":{\"paths\":[\"/city\",\"/n\"]}}");
    List<String> remote;
    try (ServedProcess server = ServedProcess.at(directory.resolve("served"))) {
      remote =
          partitions(policy, (input, args) -> KvProcess.run(server.environment(), input, args));
      List<String> follow = new ArrayList<>(changes("0/2"));
      follow.addAll(List.of("--follow", "--details", "--since", "00000000000000000000"));
      try (KvProcess feed = KvProcess.start(server.environment(), follow.toArray(String[]::new))) {
        for (String id : ids(remote.get(9))) {
          String change = feed.line();
          assertThat(ids(change)).containsExactly(id);
          assertThat(change).containsPattern("\"millis\":1\\d{12}}");
        }
      }
    }
    List<String> local =
        partitions(
            policy,
            (input, args) -> {
              List<String> all = new ArrayList<>(List.of(args));
              all.add("--path");
              all.add(directory.resolve("local").toString());
              return KvProcess.run(Map.of(), input, all.toArray(String[]::new));
            });
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

  private static List<String> partitions(Path policy, Runner kv) throws Exception {
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
    KvProcess.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    String patch = "{\"operations\":[{\"op\":\"incr\",\"path\":\"/v\",\"value\":1}]}";
    String item = "{\"id\":\"a\",\"city\":\"Oslo\",\"v\":1}";
    KvProcess.Result first =
        KvProcess.run("item", "put", NAME, item, "--if-absent", "--path", path);
    told.add("" + first.exit());
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
      KvProcess.Result result = KvProcess.run(line.toArray(String[]::new));
      told.add(result.exit() + (result.err().contains("name it: --partition") ? " hint" : ""));
    }
    assertThat(told).containsExactly("0", "1", "2", "2", "0", "1", "2 hint", "1", "1");
  }

  @Test
  void deletesTheItemsOfAPartitionThatAQueryFinds() throws Exception {
    String path = directory.resolve("store").toString();
    Path policy = directory.resolve("definition.json");
    Files.writeString(policy, "{\"partitionKey\":{\"paths\":[\"/city\"]}}");
    KvProcess.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    String items =
        """
        {"id":"a","city":"Oslo","v":1}
        {"id":"b","city":"Oslo","v":2}
        {"id":"c","city":"Bergen","v":1}
        """;
    KvProcess.run(Map.of(), items, "collection", "load", NAME, "--path", path);
    String sql = "SELECT * FROM c WHERE c.v = 1";
    String[] command = {
      "collection", "delete-items", NAME, sql, "--partition", "Oslo", "--path", path
    };
    assertThat(text(KvProcess.run(command)))
        .isEqualTo("0 1 item deleted, 0 left because they had changed");
    assertThat(text(KvProcess.run("query", NAME, "SELECT VALUE c.id FROM c", "--path", path)))
        .isEqualTo("0 \"b\"\n\"c\"");
  }

  @Test
  void queriesAnIndexOfAComputedProperty() throws Exception {
    String path = directory.resolve("store").toString();
    Path policy = directory.resolve("definition.json");
    Files.writeString(
        policy,
        """
        {"computedProperties": [{"name": "cp_lower", "query": "SELECT VALUE LOWER(c.name) FROM c"}],
         "indexingPolicy": {"includedPaths": [{"path": "/cp_lower/?"}], "excludedPaths": [{"path": "/*"}]}}
        """);
    KvProcess.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    KvProcess.Result info = KvProcess.run("collection", "get", NAME, "--path", path);
    assertThat(info.out()).contains("cp_lower", "SELECT VALUE LOWER(c.name) FROM c");
    String items =
        """
        {"id":"a","name":"OSLO"}
        {"id":"b","name":"Oslo"}
        {"id":"c","name":"Bergen"}
        """;
    KvProcess.run(Map.of(), items, "collection", "load", NAME, "--path", path);
    String one = "SELECT VALUE c.name FROM c WHERE c.cp_lower = 'bergen'";
    assertThat(text(KvProcess.run("query", NAME, one, "--path", path))).isEqualTo("0 \"Bergen\"");
    KvProcess.Result plan = KvProcess.run("query", NAME, one, "--explain", "--path", path);
    assertThat(plan.out()).contains("/cp_lower/?");
    String patch =
        "{\"operations\":[{\"op\":\"set\",\"path\":\"/name\",\"value\":\"Voss\"}],"
            + "\"filter\":\"c.cp_lower = 'bergen'\"}";
    assertThat(KvProcess.run("item", "patch", NAME, "c", patch, "--path", path).exit()).isZero();
    assertThat(KvProcess.run("item", "patch", NAME, "c", patch, "--path", path).exit()).isOne();
    String ordered = "SELECT VALUE c.id FROM c WHERE c.cp_lower > 'a' ORDER BY c.cp_lower DESC";
    assertThat(KvProcess.run("query", NAME, ordered, "--path", path).out().lines().findFirst())
        .contains("\"c\"");
    KvProcess.Result item = KvProcess.run("item", "get", NAME, "c", "--path", path);
    assertThat(item.out()).contains("Voss").doesNotContain("cp_lower");
  }

  @Test
  void printsTheLeasesOfAGroup() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory.resolve("served"))) {
      String[] group = {"collection", "group", NAME, "team"};
      assertThat(KvProcess.run(server.environment(), "", group).exit()).isEqualTo(1);
      KvProcess.run(server.environment(), "", "collection", "create", NAME);
      KvProcess.Result none = KvProcess.run(server.environment(), "", group);
      assertThat(none.exit()).isEqualTo(1);
      assertThat(none.err()).contains("group \"team\" does not exist");
      String url = "/api/v1/collections/" + NAME + "/groups/team";
      assertThat(server.send("PUT", url, "{\"ranges\":2}").statusCode()).isEqualTo(200);
      KvProcess.Result leases = KvProcess.run(server.environment(), "", group);
      assertThat(leases.exit()).isZero();
      assertThat(leases.out().lines().map(line -> line.replaceAll("[0-9a-f]{20}", "VS")))
          .containsExactly("range 0\tfree\tVS", "range 1\tfree\tVS");
    }
  }

  @Test
  void reportsMalformedPoliciesWithLineAndColumn() throws Exception {
    Path policy = directory.resolve("vectors.json");
    Files.writeString(
        policy,
        """
        {"vectorIndexes": [
          {"path": "/vector1", "type": "flat"},
        ]}
        """);
    KvProcess.Result refused =
        KvProcess.run(
            "collection",
            "create",
            "people",
            "--policy",
            policy.toString(),
            "--path",
            directory.resolve("store").toString());
    assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
    assertThat(refused.err())
        .contains("vectors.json is not JSON at line 3, column 1: unexpected ] after a comma");
  }

  /** The killed process has the store open. Its input does not end, so it cannot complete. */
  @Test
  void continuesALoadThatWasKilled() throws Exception {
    String path = directory.resolve("local").toString();
    String[] load = {"collection", "load", NAME, "--path", path};
    KvProcess.run("collection", "create", NAME, "--path", path);
    long stored;
    try (KvProcess kv = KvProcess.start(Map.of(), append(load, "--progress"))) {
      OutputStream in = kv.process().getOutputStream();
      in.write(LINES.substring(0, 3 << 20).getBytes(StandardCharsets.UTF_8)); // more than 2 MiB
      in.flush();
      stored = lastStoredLine(kv);
    } // kills it
    assertThat(stored).isBetween(1000L, 3000L);
    String first = KvProcess.run("item", "get", NAME, "b0", "--path", path).out();
    assertThat(first).contains("_etag");

    KvProcess.Result rest =
        KvProcess.run(Map.of(), LINES, append(load, "--from-line", "" + (stored + 1)));
    assertThat(rest.out()).isEqualTo(4000 - stored + " items");
    KvProcess.Result count =
        KvProcess.run("query", NAME, "SELECT VALUE COUNT(1) FROM c", "--path", path);
    assertThat(count.out()).isEqualTo("4000");
    assertThat(KvProcess.run("item", "get", NAME, "b0", "--path", path).out())
        .isEqualTo(first); // not stored again

    KvProcess.Result none = KvProcess.run(Map.of(), LINES, append(load, "--from-line", "4001"));
    assertThat(none.out()).isEqualTo("0 items");
    KvProcess.Result beyond = KvProcess.run(Map.of(), LINES, append(load, "--from-line", "4002"));
    assertThat(beyond.exit()).isEqualTo(2);
    assertThat(beyond.err()).contains("from line: 4002 (expected: at most 4001");
    KvProcess.Result zero = KvProcess.run(append(load, "--from-line", "0"));
    assertThat(zero.exit()).isEqualTo(2);
    assertThat(zero.err()).contains("from line: 0 (expected: at least 1)");
  }

  /** Waits until the progress shows a stored line, and returns its number. */
  private static long lastStoredLine(KvProcess kv) throws Exception {
    Pattern line = Pattern.compile("line (\\d+)");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (System.nanoTime() < end) {
      List<String> numbers = line.matcher(kv.err()).results().map(each -> each.group(1)).toList();
      if (!numbers.isEmpty()) {
        return Long.parseLong(numbers.get(numbers.size() - 1));
      }
      LockSupport.parkNanos(10_000_000);
    }
    throw new AssertionError("no line is stored: " + kv.err());
  }

  @Test
  void printsTheWarningsOfADefinition() throws Exception {
    Path definition = directory.resolve("vectors.json");
    Files.writeString(
        definition,
        """
        {"vectorEmbeddingPolicy": {"vectorEmbeddings": [
          {"path": "/v", "dataType": "float32", "dimensions": 3, "distanceFunction": "cosine"}]}}
        """);
    String path = directory.resolve("store").toString();
    for (String command : List.of("create", "replace")) {
      KvProcess.Result made =
          KvProcess.run(
              "collection", command, NAME, "--policy", definition.toString(), "--path", path);
      assertThat(made.exit()).as(made.err()).isZero();
      assertThat(made.out()).startsWith(NAME + "\tdefinition ").hasLineCount(1);
      assertThat(made.err())
          .isEqualTo(
              "kv: The policy indexes each element of the vectors at '/v': add '/v/*' to"
                  + " excludedPaths.\n");
    }
  }

  @Test
  void keepsPreviousValuesOnAServerAndInADirectory() throws Exception {
    String kept =
        "{\"versionstamp\":\"\",\"type\":\"delete\",\"id\":\"ada\","
            + "\"previous\":{\"id\":\"ada\",\"age\":36,\"_etag\":\"\"}}";
    Path data = directory.resolve("served");
    try (ServedProcess server = ServedProcess.at(data, "--old-values")) {
      assertThat(deletion((input, args) -> KvProcess.run(server.environment(), input, args)))
          .isEqualTo(kept);
    }
    Runner local = // a directory that a server kept previous values in
        (input, args) -> KvProcess.run(Map.of(), input, append(args, "--path", data.toString()));
    Runner keeping = (input, args) -> local.with(input, append(args, "--old-values"));
    assertThat(lastDeletion(local)).doesNotContain("previous");
    assertThat(lastDeletion(keeping)).isEqualTo(kept);
    assertThat(deletion(keeping)).isEqualTo(kept);
    Map<String, String> variable = Map.of("KV_OLD_VALUES", "true");
    assertThat(
            lastDeletion(
                (input, args) ->
                    KvProcess.run(variable, input, append(args, "--path", data.toString()))))
        .isEqualTo(kept);
    assertThat(deletion(local)).doesNotContain("previous");
    assertThat(lastDeletion(keeping)).doesNotContain("previous"); // it was not kept

    KvProcess.Result remote = KvProcess.run("collection", "changes", NAME, "--old-values");
    assertThat(remote.exit()).isEqualTo(2);
    assertThat(remote.err()).contains("--old-values without --path");
  }

  private static String[] append(String[] args, String... more) {
    return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
  }

  /** Stores and deletes an item, and returns the last change of the collection. */
  private static String deletion(Runner kv) throws Exception {
    kv.run("collection", "create", NAME);
    kv.run("item", "put", NAME, "{\"id\":\"ada\",\"age\":36}");
    assertThat(kv.run("item", "del", NAME, "ada").exit()).isZero();
    return lastDeletion(kv);
  }

  private static String lastDeletion(Runner kv) throws Exception {
    KvProcess.Result changes = kv.run("collection", "changes", NAME, "--mode", "all");
    return changes
        .out()
        .lines()
        .filter(line -> line.contains("\"delete\""))
        .reduce((a, b) -> b)
        .orElse(changes.err())
        .replaceAll("[0-9a-f]{20}|\"_ts\":\\d+,", "");
  }

  @Test
  void allowsLazyCollectionsInADirectory() throws Exception {
    Path policy = directory.resolve("lazy.json");
    Files.writeString(policy, "{\"indexingMode\":\"lazy\",\"includedPaths\":[{\"path\":\"/*\"}]}");
    String file = policy.toString();
    String path = directory.resolve("store").toString();
    KvProcess.Result refused =
        KvProcess.run("collection", "create", "people", "--policy", file, "--path", path);
    assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
    assertThat(refused.err()).contains("lazy is not allowed");

    KvProcess.Result made =
        KvProcess.run(
            "collection", "create", "people", "--policy", file, "--allow-lazy", "--path", path);
    assertThat(made.exit()).as(made.err()).isZero();
    KvProcess.Result info = KvProcess.run("collection", "get", "people", "--path", path);
    assertThat(info.out()).containsPattern("\"indexingMode\" *: *\"lazy\"");

    KvProcess.Result remote = KvProcess.run("collection", "create", "people", "--allow-lazy");
    assertThat(remote.exit()).isEqualTo(2);
    assertThat(remote.err()).contains("--path");
  }

  private static List<String> story(Path policy, Path lines, Runner kv) throws Exception {
    List<String> told = new ArrayList<>();
    told.add(text(kv.run("collection", "create", NAME)));
    told.add(text(kv.run("collection", "create", NAME)));
    kv.run("item", "put", NAME, "{\"id\":\"ada\",\"city\":\"Oslo\",\"age\":36}");
    told.add(text(kv.run("collection", "load", NAME, lines.toString())));
    told.add(
        text(kv.run("query", NAME, "SELECT VALUE c.id FROM c WHERE c.age > @age", "-p", "age=30")));
    kv.run("collection", "replace", NAME, "--policy", policy.toString());
    KvProcess.Result plan =
        kv.run("query", NAME, "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 3", "--explain");
    told.add(plan.exit() + (plan.out().contains("composite") ? " composite" : plan.out()));
    KvProcess.Result progress = kv.run("collection", "progress", NAME);
    told.add(progress.exit() + " " + progress.out().lines().reduce((a, b) -> b).orElse(""));
    told.add(
        text(
            kv.run(
                "query", NAME, "SELECT c.id FROM c WHERE c.city = 'Oslo' ORDER BY c.city, c.age")));
    told.add(text(kv.run("query", NAME, "SELEKT")));
    String changes = kv.run("collection", "changes", NAME, "--limit", "1", "--mode", "all").out();
    told.add(changes.replaceAll("[0-9a-f]{20}|\"_ts\":\\d+", ""));
    told.add(text(kv.run("collection", "changes", NAME, "--mode", "some")));
    String timed = kv.run("collection", "changes", NAME, "--limit", "1", "--details").out();
    assertThat(timed).containsPattern("\"millis\":1\\d{12}[,}]");
    told.add(
        text(
            kv.run(
                "collection",
                "delete-items",
                NAME,
                "SELECT * FROM c WHERE c.id = @id",
                "-p",
                "id=\"b7\"")));
    KvProcess.Result bad = kv.with(LINES + "\n{\"id\":", "collection", "load", NAME, "-");
    told.add(bad.exit() + " " + bad.out() + bad.err().replaceAll("^kv:| \\(expected.*\\s+", ""));
    KvProcess.Result deleted = kv.run("item", "del", NAME, "bob");
    told.add(deleted.exit() + " " + deleted.out().replaceAll("[0-9a-f]{20}", ""));
    told.add(text(kv.run("item", "get", NAME, "bob")));
    told.add(text(kv.run("collection", "delete", NAME)));
    told.add(text(kv.run("collection", "get", NAME)));
    return told;
  }

  private static String text(KvProcess.Result result) {
    return result.exit() + " " + result.out();
  }

  @Test
  void queriesSpatialAndVectorIndexesOnAServerAndInADirectory() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory.resolve("served"))) {
      queriesPlaces((input, args) -> KvProcess.run(server.environment(), input, args));
    }
    String path = directory.resolve("local").toString();
    queriesPlaces(
        (input, args) -> {
          List<String> all = new ArrayList<>(List.of(args));
          all.addAll(List.of("--path", path));
          return KvProcess.run(Map.of(), input, all.toArray(String[]::new));
        });
  }

  private void queriesPlaces(Runner kv) throws Exception {
    NearbyPlaces.check(
        new NearbyPlaces.Surface() {
          private String out(String... arguments) throws Exception {
            KvProcess.Result result = kv.run(arguments);
            assertThat(result.exit()).as(result.err()).isZero();
            return result.out();
          }

          @Override
          public void create(String definition) throws Exception {
            Path file = directory.resolve("places.json");
            Files.writeString(file, definition);
            out("collection", "create", NearbyPlaces.NAME, "--policy", file.toString());
          }

          @Override
          public void put(String item) throws Exception {
            out("item", "put", NearbyPlaces.NAME, item);
          }

          @Override
          public List<String> ids(String sql, String parameter, String value) throws Exception {
            return out("query", NearbyPlaces.NAME, sql, "-p", parameter + "=" + value)
                .lines()
                .map(id -> id.replace("\"", ""))
                .toList();
          }

          @Override
          public JsonNode explain(String sql, String parameter, String value) throws Exception {
            String[] query = {
              "query", NearbyPlaces.NAME, sql, "-p", parameter + "=" + value, "--explain"
            };
            return new ObjectMapper().readTree(out(query));
          }
        });
  }
}
