package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static io.kvreactive.server.KvRunner.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.NearbyPlaces;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.OutputStream;
import java.net.http.HttpResponse;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv collection} and {@code kv query}. */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class CollectionCommandsTest {
  private static final int ITEMS = 500;

  /** 4 MB, which are sent to a server in parts. */
  private static final String LINES =
      IntStream.range(0, ITEMS - 1)
              .mapToObj(i -> "{\"id\":\"b%d\",\"text\":\"%s\"}\n".formatted(i, "x".repeat(8000)))
              .collect(Collectors.joining())
          + "{\"id\":\"bob\",\"city\":\"Oslo\",\"age\":7}";

  /** The definition of a collection is sent unchanged, for any name of the collection. */
  private static final String NAME = "import";

  @TempDir Path directory;

  @Test
  void behaveAlikeOnAServerAndOnADirectory(Vertx vertx) throws Exception {
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
    try (TestServer server = TestServer.start(vertx)) {
      remote = story(policy, lines, KvRunner.on(server));
    }
    List<String> local = story(policy, lines, KV.in(directory.resolve("local")));
    assertThat(remote)
        .containsExactly(
            "0 import\tdefinition 1\tindexes 100 %",
            "1 ",
            "0 500 items",
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
            "2  line 501, column 7: unexpected end",
            "0 ",
            "1 ",
            "0 ",
            "1 ");
    assertThat(local).isEqualTo(remote);
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
    KV.run("collection", "create", NAME, "--policy", policy.toString(), "--path", path);
    KvProcess.Result info = KV.run("collection", "get", NAME, "--path", path);
    assertThat(info.out()).contains("cp_lower", "SELECT VALUE LOWER(c.name) FROM c");
    String items =
        """
        {"id":"a","name":"OSLO"}
        {"id":"b","name":"Oslo"}
        {"id":"c","name":"Bergen"}
        """;
    KV.with(items, "collection", "load", NAME, "--path", path);
    String one = "SELECT VALUE c.name FROM c WHERE c.cp_lower = 'bergen'";
    assertThat(text(KV.run("query", NAME, one, "--path", path))).isEqualTo("0 \"Bergen\"");
    KvProcess.Result plan = KV.run("query", NAME, one, "--explain", "--path", path);
    assertThat(plan.out()).contains("/cp_lower/?").doesNotContain("page:");
    KvProcess.Result ran = KV.run("query", NAME, one, "--analyze", "--path", path);
    assertThat(ran.out())
        .contains("\npage: 1 rows\n  filter: 1 rows\n    load: 1 entries read, 1 rows\n")
        .endsWith("indexSeek range:/cp_lower/? {\"eq\":[\"bergen\"]}: 1 entries read, 1 rows");
    String patch =
        "{\"operations\":[{\"op\":\"set\",\"path\":\"/name\",\"value\":\"Voss\"}],"
            + "\"filter\":\"c.cp_lower = 'bergen'\"}";
    assertThat(KV.run("item", "patch", NAME, "c", patch, "--path", path).exit()).isZero();
    assertThat(KV.run("item", "patch", NAME, "c", patch, "--path", path).exit()).isOne();
    String ordered = "SELECT VALUE c.id FROM c WHERE c.cp_lower > 'a' ORDER BY c.cp_lower DESC";
    assertThat(KV.run("query", NAME, ordered, "--path", path).out().lines().findFirst())
        .contains("\"c\"");
    KvProcess.Result item = KV.run("item", "get", NAME, "c", "--path", path);
    assertThat(item.out()).contains("Voss").doesNotContain("cp_lower");
  }

  @Test
  void printsTheLeasesOfAGroup(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      KvRunner there = KvRunner.on(server);
      String[] group = {"collection", "group", NAME, "team"};
      assertThat(there.run(group).exit()).isEqualTo(1);
      there.run("collection", "create", NAME);
      KvProcess.Result none = there.run(group);
      assertThat(none.exit()).isEqualTo(1);
      assertThat(none.err()).contains("group \"team\" does not exist");
      String url = "/api/v1/collections/" + NAME + "/groups/team";
      HttpResponse<String> made =
          server.send(
              "PUT", url, "{\"ranges\":2}", r -> r.header("Content-Type", "application/json"));
      assertThat(made.statusCode()).isEqualTo(200);
      KvProcess.Result leases = there.run(group);
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
        KV.run(
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
    KV.run("collection", "create", NAME, "--path", path);
    long stored;
    try (KvProcess kv = KvProcess.start(Map.of(), append(load, "--progress"))) {
      OutputStream in = kv.process().getOutputStream();
      in.write(LINES.substring(0, 3 << 20).getBytes(StandardCharsets.UTF_8)); // more than 2 MiB
      in.flush();
      stored = lastStoredLine(kv);
    } // kills it
    assertThat(stored).isBetween(100L, 400L);
    String first = KV.run("item", "get", NAME, "b0", "--path", path).out();
    assertThat(first).contains("_etag");

    KvProcess.Result rest = KV.with(LINES, append(load, "--from-line", "" + (stored + 1)));
    assertThat(rest.out()).isEqualTo(ITEMS - stored + " items");
    KvProcess.Result count = KV.run("query", NAME, "SELECT VALUE COUNT(1) FROM c", "--path", path);
    assertThat(count.out()).isEqualTo("" + ITEMS);
    assertThat(KV.run("item", "get", NAME, "b0", "--path", path).out())
        .isEqualTo(first); // not stored again

    KvProcess.Result none = KV.with(LINES, append(load, "--from-line", "" + (ITEMS + 1)));
    assertThat(none.out()).isEqualTo("0 items");
    KvProcess.Result beyond = KV.with(LINES, append(load, "--from-line", "" + (ITEMS + 2)));
    assertThat(beyond.exit()).isEqualTo(2);
    assertThat(beyond.err()).contains("from line: 502 (expected: at most 501");
    KvProcess.Result zero = KV.run(append(load, "--from-line", "0"));
    assertThat(zero.exit()).isEqualTo(2);
    assertThat(zero.err()).contains("from line: 0 (expected: at least 1)");
  }

  private static String[] append(String[] args, String... more) {
    return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
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
          KV.run("collection", command, NAME, "--policy", definition.toString(), "--path", path);
      assertThat(made.exit()).as(made.err()).isZero();
      assertThat(made.out()).startsWith(NAME + "\tdefinition ").hasLineCount(1);
      assertThat(made.err())
          .isEqualTo(
              "kv: The policy indexes each element of the vectors at '/v': add '/v/*' to"
                  + " excludedPaths.\n");
    }
  }

  @Test
  void allowsLazyCollectionsInADirectory() throws Exception {
    Path policy = directory.resolve("lazy.json");
    Files.writeString(policy, "{\"indexingMode\":\"lazy\",\"includedPaths\":[{\"path\":\"/*\"}]}");
    String file = policy.toString();
    String path = directory.resolve("store").toString();
    KvProcess.Result refused =
        KV.run("collection", "create", "people", "--policy", file, "--path", path);
    assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
    assertThat(refused.err()).contains("lazy is not allowed");

    KvProcess.Result made =
        KV.run("collection", "create", "people", "--policy", file, "--allow-lazy", "--path", path);
    assertThat(made.exit()).as(made.err()).isZero();
    KvProcess.Result info = KV.run("collection", "get", "people", "--path", path);
    assertThat(info.out()).containsPattern("\"indexingMode\" *: *\"lazy\"");

    KvProcess.Result remote = KV.run("collection", "create", "people", "--allow-lazy");
    assertThat(remote.exit()).isEqualTo(2);
    assertThat(remote.err()).contains("--path");
  }

  private static List<String> story(Path policy, Path lines, KvRunner kv) throws Exception {
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

  @Test
  void queriesSpatialAndVectorIndexesOnAServerAndInADirectory(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      queriesPlaces(KvRunner.on(server));
    }
    queriesPlaces(KV.in(directory.resolve("local")));
  }

  private void queriesPlaces(KvRunner kv) throws Exception {
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
