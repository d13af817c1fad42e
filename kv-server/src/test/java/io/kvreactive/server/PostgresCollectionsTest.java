package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.web.NearbyPlaces;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One program with collections on a server of a PostgreSQL store, by each of its interfaces. */
@Timeout(600)
class PostgresCollectionsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PATH = "/api/v1/collections/";
  private static final String DEFINITION =
      "{\"partitionKey\":{\"paths\":[\"/country\"]},\"indexingPolicy\":{\"includedPaths\":"
          + "[{\"path\":\"/*\"},{\"path\":\"/city/?\"}],\"excludedPaths\":[]}}";
  private static final int LOADED = 300;

  @TempDir static Path directory;

  private static ServedProcess server;

  /** The operations of the program. */
  private interface Collection {
    /**
     * Creates the items {@code ids} in the country {@code uk} with values from 1, and reads the
     * first.
     *
     * @return the outcomes, or the index of the failed operation
     */
    String batch(String... ids) throws Exception;

    /** Increments the value of an item if it is 1. Returns the new value, or the error. */
    String increment(String id) throws Exception;

    void load(List<ObjectNode> items) throws Exception;

    /** Returns the rows of a query, within a country unless it is null. */
    List<JsonNode> rows(String sql, @Nullable String country) throws Exception;

    JsonNode plan(String sql) throws Exception;

    List<String> list(String country) throws Exception;

    long clear(String country) throws Exception;

    long delete(String sql) throws Exception;

    /** Returns the changes, such as {@code a=2 was 1} or {@code a gone was 2}. */
    List<String> changes(String mode) throws Exception;
  }

  @BeforeAll
  static void start() throws Exception {
    server = ServedProcess.at(directory, "--engine", "postgres", "--url", SharedPostgres.url());
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Test
  void runsByRest() throws Exception {
    run("rest", new ByRest(PATH + "rest"));
  }

  @Test
  void runsByTheCommandLine() throws Exception {
    run("cli", new ByCommands("cli"));
  }

  @Test
  void runsByTheRemoteClient() throws Exception {
    Vertx vertx = Vertx.vertx();
    DocumentStore store =
        of(
            DocumentStore.connect(
                vertx, server.url, DocumentClientOptions.token(ServedProcess.TOKEN)));
    run("remote", new ByClient(store.collection("remote", ObjectNode.class)));
    store.close().block(PATIENCE);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void queriesSpatialAndVectorIndexes() throws Exception {
    NearbyPlaces.check(
        new NearbyPlaces.Surface() {
          private static final String PLACES = PATH + NearbyPlaces.NAME;

          private JsonNode send(String method, String path, String json) throws Exception {
            HttpResponse<String> answer = server.send(method, path, json);
            assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
            return JSON.readTree(answer.body());
          }

          @Override
          public void create(String definition) throws Exception {
            send("PUT", PLACES, definition);
          }

          @Override
          public void put(String item) throws Exception {
            send("POST", PLACES + "/items", item);
          }

          @Override
          public List<String> ids(String sql, String parameter, String value) throws Exception {
            List<String> ids = new ArrayList<>();
            send("POST", PLACES + "/query", NearbyPlaces.body(sql, parameter, value))
                .get("items")
                .forEach(id -> ids.add(id.asText()));
            return ids;
          }

          @Override
          public JsonNode explain(String sql, String parameter, String value) throws Exception {
            return send("POST", PLACES + "/query", NearbyPlaces.explained(sql, parameter, value));
          }
        });
  }

  private static void run(String name, Collection items) throws Exception {
    assertThat(server.send("PUT", PATH + name, DEFINITION).statusCode()).isEqualTo(201);
    assertThat(items.batch("a", "b")).isEqualTo("CREATED CREATED READ");
    assertThat(items.batch("c", "b")).isEqualTo("ITEM_EXISTS 1");
    assertThat(items.increment("a")).isEqualTo("2");
    assertThat(items.increment("a")).isEqualTo("CONDITION_NOT_MET");
    assertThat(items.list("uk")).containsExactly("a", "b");

    items.load(
        IntStream.range(0, LOADED)
            .mapToObj(
                i ->
                    JSON.createObjectNode()
                        .put("id", "l" + i)
                        .put("country", i % 3 == 0 ? "no" : "se")
                        .put("city", "city " + i % 4)
                        .put("n", i))
            .toList());
    assertThat(items.rows("SELECT VALUE COUNT(1) FROM c", "no").get(0).asInt()).isEqualTo(100);
    assertThat(items.rows("SELECT VALUE COUNT(1) FROM c", null).get(0).asInt()).isEqualTo(302);
    String groups = "SELECT c.city, COUNT(1) AS n FROM c WHERE c.city > 'city 1' GROUP BY c.city";
    assertThat(items.rows(groups, null).stream().map(JsonNode::toString))
        .containsExactlyInAnyOrder(
            "{\"city\":\"city 2\",\"n\":75}", "{\"city\":\"city 3\",\"n\":75}");
    assertThat(items.plan(groups).path("groupBy").asText()).isEqualTo("indexOrder");
    String distinct = "SELECT DISTINCT VALUE c.city FROM c WHERE c.city > 'city 1'";
    assertThat(items.rows(distinct, null).stream().map(JsonNode::asText))
        .containsExactly("city 2", "city 3");
    assertThat(items.plan(distinct).path("distinct").asText()).isEqualTo("skipScan");

    assertThat(items.delete("SELECT * FROM c WHERE c.n >= 250")).isEqualTo(50);
    assertThat(items.clear("uk")).isEqualTo(2);
    assertThat(items.list("uk")).isEmpty();
    List<String> latest = items.changes("latest");
    assertThat(latest).hasSize(250).allMatch(change -> change.matches("l\\d+=\\d+"));
    List<String> all = items.changes("all");
    assertThat(all.subList(0, 4)).containsExactly("a=1", "b=2", "a=2 was 1", "l0=0");
    assertThat(all.subList(303, 353)).contains("l250 gone was 250", "l299 gone was 299");
    assertThat(all.subList(353, all.size()))
        .containsExactlyInAnyOrder("a gone was 2", "b gone was 2");
  }

  // ---- JSON of requests and answers

  private static String batchJson(String... ids) {
    ObjectNode batch = JSON.createObjectNode().put("partitionKey", "uk");
    for (int i = 0; i < ids.length; i++) {
      batch
          .withArray("operations")
          .addObject()
          .put("op", "create")
          .set("item", item(ids[i], i + 1));
    }
    batch.withArray("operations").addObject().put("op", "read").put("id", ids[0]);
    return batch.toString();
  }

  private static ObjectNode item(String id, int n) {
    return JSON.createObjectNode().put("id", id).put("country", "uk").put("n", n);
  }

  private static String outcomes(JsonNode answer) {
    return StreamSupport.stream(answer.path("results").spliterator(), false)
        .map(result -> result.path("status").asInt() == 201 ? "CREATED" : "READ")
        .collect(Collectors.joining(" "));
  }

  private static final String INCREMENT =
      "{\"operations\":[{\"op\":\"incr\",\"path\":\"/n\",\"value\":1}],\"filter\":\"c.n = 1\"}";

  private static String text(JsonNode change) {
    JsonNode previous = change.path("previous");
    return change.path("id").asText()
        + (change.path("type").asText().equals("delete")
            ? " gone"
            : "=" + change.path("item").path("n"))
        + (previous.isObject() ? " was " + previous.path("n") : "");
  }

  private static List<String> ids(List<JsonNode> items) {
    return items.stream().map(item -> item.path("id").asText()).sorted().toList();
  }

  private static List<JsonNode> parse(List<String> lines) throws Exception {
    List<JsonNode> parsed = new ArrayList<>();
    for (String line : lines) {
      parsed.add(JSON.readTree(line));
    }
    return parsed;
  }

  private static <T> T of(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  // ---- interfaces

  private record ByRest(String path) implements Collection {
    private JsonNode send(String method, String below, String body) throws Exception {
      return last(server.send(method, path + below, body));
    }

    /** Returns the last line of an answer, which may have the progress before it. */
    private static JsonNode last(HttpResponse<String> answer) throws Exception {
      return JSON.readTree(answer.body().strip().lines().reduce("", (line, last) -> last));
    }

    @Override
    public String batch(String... ids) throws Exception {
      JsonNode answer = send("POST", "/batch", batchJson(ids));
      return answer.has("code")
          ? answer.path("code").asText() + " " + answer.path("failedOperation")
          : outcomes(answer);
    }

    @Override
    public String increment(String id) throws Exception {
      JsonNode answer = send("PATCH", "/items/" + id + "?partitionKey=%22uk%22", INCREMENT);
      return answer.path("code").asText(answer.path("n").toString());
    }

    @Override
    public void load(List<ObjectNode> items) throws Exception {
      String lines = items.stream().map(ObjectNode::toString).collect(Collectors.joining("\n"));
      JsonNode loaded = last(server.send("POST", path + "/load", "application/x-ndjson", lines));
      assertThat(loaded.path("items").asInt()).isEqualTo(items.size());
    }

    private ObjectNode query(String sql) {
      return JSON.createObjectNode().put("query", sql);
    }

    @Override
    public List<JsonNode> rows(String sql, @Nullable String country) throws Exception {
      ObjectNode query = query(sql);
      if (country != null) {
        query.put("partitionKey", country);
      }
      List<JsonNode> rows = new ArrayList<>();
      send("POST", "/query", query.toString()).path("items").forEach(rows::add);
      return rows;
    }

    @Override
    public JsonNode plan(String sql) throws Exception {
      return send("POST", "/query", query(sql).put("explain", "only").toString()).path("plan");
    }

    @Override
    public List<String> list(String country) throws Exception {
      List<JsonNode> items = new ArrayList<>();
      send("GET", "/partition?partitionKey=%22" + country + "%22", "")
          .path("items")
          .forEach(items::add);
      return ids(items);
    }

    @Override
    public long clear(String country) throws Exception {
      return send("DELETE", "/partition?partitionKey=%22" + country + "%22", "")
          .path("deleted")
          .asLong();
    }

    @Override
    public long delete(String sql) throws Exception {
      return send("POST", "/delete", query(sql).toString()).path("deleted").asLong();
    }

    @Override
    public List<String> changes(String mode) throws Exception {
      List<String> changes = new ArrayList<>();
      send("GET", "/changes?limit=1000&since=00000000000000000000&mode=" + mode, "")
          .path("changes")
          .forEach(change -> changes.add(text(change)));
      return changes;
    }
  }

  private record ByCommands(String name) implements Collection {
    private KvProcess.Result run(String input, String... arguments) throws Exception {
      return server.commands().with(input, arguments);
    }

    @Override
    public String batch(String... ids) throws Exception {
      KvProcess.Result result = run("", "item", "batch", name, batchJson(ids));
      return result.exit() == 0
          ? outcomes(JSON.readTree(result.out()))
          : result
              .err()
              .replaceAll("(?s).*operation (\\d+): item .* already exists.*", "ITEM_EXISTS $1");
    }

    @Override
    public String increment(String id) throws Exception {
      KvProcess.Result result = run("", "item", "patch", name, id, INCREMENT, "--partition", "uk");
      return result.exit() == 0
          ? JSON.readTree(result.out()).path("n").toString()
          : result.exit() == 1 ? "CONDITION_NOT_MET" : result.err();
    }

    @Override
    public void load(List<ObjectNode> items) throws Exception {
      String lines = items.stream().map(ObjectNode::toString).collect(Collectors.joining("\n"));
      assertThat(run(lines, "collection", "load", name, "-").exit()).isZero();
    }

    @Override
    public List<JsonNode> rows(String sql, @Nullable String country) throws Exception {
      KvProcess.Result rows =
          country == null
              ? run("", "query", name, sql)
              : run("", "query", name, sql, "--partition", country);
      return parse(rows.out().lines().toList());
    }

    @Override
    public JsonNode plan(String sql) throws Exception {
      return JSON.readTree(run("", "query", name, sql, "--explain").out()).path("plan");
    }

    @Override
    public List<String> list(String country) throws Exception {
      return ids(
          parse(run("", "item", "list", name, "--partition", country).out().lines().toList()));
    }

    private static long number(KvProcess.Result result) {
      return Long.parseLong(result.out().strip().replaceAll("\\D.*", ""));
    }

    @Override
    public long clear(String country) throws Exception {
      return number(run("", "item", "clear", name, "--partition", country));
    }

    @Override
    public long delete(String sql) throws Exception {
      return number(run("", "collection", "delete-items", name, sql));
    }

    @Override
    public List<String> changes(String mode) throws Exception {
      String[] command = {"collection", "changes", name, "--limit", "1000", "--mode", mode};
      return parse(run("", command).out().lines().filter(line -> line.startsWith("{")).toList())
          .stream()
          .filter(line -> line.has("type"))
          .map(PostgresCollectionsTest::text)
          .toList();
    }
  }

  private record ByClient(DocumentCollection<ObjectNode> items) implements Collection {
    private static final PartitionKey UK = PartitionKey.of("uk");

    @Override
    public String batch(String... ids) {
      TransactionalBatch batch = TransactionalBatch.of(UK);
      for (int i = 0; i < ids.length; i++) {
        batch = batch.create(item(ids[i], i + 1));
      }
      try {
        return of(items.execute(batch.read(ids[0]))).results().stream()
            .map(result -> result.outcome().name())
            .collect(Collectors.joining(" "));
      } catch (BatchException e) {
        return e.code() + " " + e.failedOperation();
      }
    }

    @Override
    public String increment(String id) {
      try {
        return of(items.patch(
                id,
                UK,
                List.of(new PatchOperation.Increment("/n", 1)),
                PatchOptions.filter("c.n = 1")))
            .value()
            .path("n")
            .toString();
      } catch (DocumentException e) {
        return e.code().name();
      }
    }

    @Override
    public void load(List<ObjectNode> loaded) {
      assertThat(of(items.load(Flux.fromIterable(loaded)).last()).entries())
          .isEqualTo(loaded.size());
    }

    @Override
    public List<JsonNode> rows(String sql, @Nullable String country) {
      PartitionKey key = country == null ? PartitionKey.NONE : PartitionKey.of(country);
      SqlQuery query =
          SqlQuery.of(sql, Map.of()).withOptions(QueryOptions.DEFAULT.withPartitionKey(key));
      return of(items.query(query, JsonNode.class).collectList());
    }

    @Override
    public JsonNode plan(String sql) {
      return of(items.explain(SqlQuery.of(sql))).plan();
    }

    @Override
    public List<String> list(String country) {
      return of(items.list(PartitionKey.of(country)).map(item -> item.id()).collectList());
    }

    @Override
    public long clear(String country) {
      return of(items.deleteAll(PartitionKey.of(country)));
    }

    @Override
    public long delete(String sql) {
      return of(items.deleteMany(SqlQuery.of(sql)).last()).deleted();
    }

    @Override
    public List<String> changes(String mode) {
      ChangeFeedOptions options =
          (mode.equals("all") ? ChangeFeedOptions.ALL : ChangeFeedOptions.LATEST)
              .withSince(Versionstamp.ZERO);
      List<String> changes = new ArrayList<>();
      for (ItemChanges<ObjectNode> commit : of(items.changePage(options, 1000)).commits()) {
        for (ItemChanges.Change<ObjectNode> change : commit.changes()) {
          changes.add(
              change.id()
                  + (change instanceof ItemChanges.Change.Upsert<ObjectNode> upsert
                      ? "=" + upsert.item().value().path("n")
                      : " gone")
                  + (change.previous() == null
                      ? ""
                      : " was " + change.previous().value().path("n")));
        }
      }
      return Collections.unmodifiableList(changes);
    }
  }
}
