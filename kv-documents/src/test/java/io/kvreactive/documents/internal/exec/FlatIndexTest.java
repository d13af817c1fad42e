package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Tests of the entries of flat vector indexes, and of their queries against a sort. */
class FlatIndexTest {
  private static CollectionDefinition definition(String distance, String mode) {
    return Definitions.parse(
        """
        {"indexingPolicy": {"indexingMode": "%s",
          "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/in/v/*"}],
          "vectorIndexes": [{"path": "/in/v", "type": "flat"}]},
         "vectorEmbeddingPolicy": {"vectorEmbeddings": [
          {"path": "/in/v", "dataType": "float32", "dimensions": 2, "distanceFunction": "%s"}]}}\
        """
            .formatted(mode, distance));
  }

  private static QueryStore store(String distance) {
    return new QueryStore(definition(distance, "consistent"), DocumentStoreOptions.DEFAULT);
  }

  /** Returns a store with an index that has a shard for each value of {@code f}. */
  private static QueryStore sharded(String distance) {
    return new QueryStore(sharded(distance, "/f"), DocumentStoreOptions.DEFAULT);
  }

  private static CollectionDefinition sharded(String distance, String path) {
    return Definitions.parse(
        Definitions.toJson(definition(distance, "consistent"))
            .replace("\"flat\"", "\"flat\",\"vectorIndexShardKey\":[\"" + path + "\"]"));
  }

  private static ObjectNode item(String id, int f, String vector) {
    return (ObjectNode)
        Json.parse("{\"id\":\"" + id + "\",\"f\":" + f + ",\"in\":{\"v\":" + vector + "}}");
  }

  private static List<ObjectNode> items() {
    return List.of(
        item("a", 1, "[1,0]"),
        item("b", 2, "[0,3]"),
        item("c", 1, "[-1,0]"),
        item("d", 2, "[6,6]"),
        item("e", 1, "null"),
        item("f", 1, "[1,0,0]"),
        item("g", 1, "[0,0]"),
        item("h", 1, "[1e300,0]"),
        item("i", 1, "[1,\"1\"]"));
  }

  private static String text(List<JsonNode> rows) {
    return String.join("", rows.stream().map(JsonNode::asText).toList());
  }

  private static final String TOP =
      "SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.in.v, [1,0])";

  private static JsonNode explain(QueryStore store, String sql) {
    return Objects.requireNonNull(store.items.explain(SqlQuery.of(sql)).block(QueryStore.PATIENCE))
        .plan();
  }

  /** Returns the items of all entries with their vectors. */
  private static List<String> entries(QueryStore store) {
    StoredKeys.check(store.kv(), "c");
    CollectionMetadata view = StoredKeys.view(store.kv(), "c");
    StoredVectorIndex index = view.writeLayout().vectors().get(0);
    List<String> entries = new ArrayList<>();
    for (var key : StoredKeys.keys(store.kv(), view, "E" + view.record().entriesNumber())) {
      byte[] raw = view.keys().rawEntry(key.bytes());
      if (index.everything().contains(raw)) {
        float[] vector = new float[2];
        byte[] value = TestStore.of(store.kv().get(key, KvValue.class)).value().bytes();
        StoredVectorIndex.read(value, vector);
        entries.add(index.docId(raw) + ":" + vector[0] + "," + vector[1]);
      }
    }
    return entries;
  }

  @ParameterizedTest
  @ValueSource(strings = {"cosine", "dotproduct", "euclidean"})
  void servesTop(String distance) {
    try (QueryStore store = store(distance)) {
      store.fill(items());
      String expected =
          switch (distance) {
            case "cosine" -> "adb";
            case "dotproduct" -> "dab";
            default -> "agc";
          };
      assertThat(text(store.rows(TOP, QueryOptions.DEFAULT))).isEqualTo(expected);
      JsonNode plan = explain(store, TOP);
      assertThat(plan.at("/orderBy"))
          .hasToString(
              "{\"servedBy\":\"vector#1\",\"kind\":\"flat\",\"spec\":[\"/in/v\"],"
                  + "\"distanceFunction\":\""
                  + distance
                  + "\"}");
      assertThat(plan.at("/class").asText()).isEqualTo("fullIndexScan");
      var page =
          store.page(SqlQuery.of(TOP).withOptions(QueryOptions.DEFAULT.withEnableScan(false)));
      assertThat(page.metrics().retrievedItems()).isEqualTo(3);
    }
  }

  /** The data type of an embedding is checked only: vectors need not fit it. */
  @ParameterizedTest
  @ValueSource(strings = {"float16", "int8", "uint8"})
  void indexesVectorsOfAnyDataTypeAsFloat32(String dataType) {
    CollectionDefinition typed =
        Definitions.parse(
            Definitions.toJson(definition("euclidean", "consistent")).replace("float32", dataType));
    try (QueryStore store = new QueryStore(typed, DocumentStoreOptions.DEFAULT)) {
      store.fill(List.of(item("a", 1, "[0.1,-300.5]"), item("b", 2, "[70000,0.3]")));
      assertThat(entries(store)).containsExactly("1:0.1,-300.5", "2:70000.0,0.3");
      String top =
          "SELECT TOP 3 VALUE VectorDistance(c.in.v, [70000,0]) FROM c"
              + " ORDER BY VectorDistance(c.in.v, [70000,0])";
      assertThat(explain(store, top).at("/orderBy/kind").asText()).isEqualTo("flat");
      List<JsonNode> rows = store.rows(top, QueryOptions.DEFAULT);
      assertThat(rows).hasSize(2);
      assertThat(rows.get(0).asDouble()).isCloseTo(0.3, within(1e-6));
      assertThat(store.rows(top, QueryOptions.DEFAULT.withForceScan(true))).isEqualTo(rows);
    }
  }

  @Test
  void sortsForOtherQueries() {
    try (QueryStore store = store("cosine")) {
      for (String sql :
          List.of(
              "SELECT * FROM c ORDER BY VectorDistance(c.in.v, [1,0])",
              "SELECT TOP 10001 * FROM c ORDER BY VectorDistance(c.in.v, [1,0])",
              "SELECT TOP 3 * FROM c ORDER BY VectorDistance(c.in.v, c.in.w)",
              "SELECT TOP 3 * FROM c ORDER BY VectorDistance(c.in.w, [1,0])",
              "SELECT DISTINCT TOP 3 c.f FROM c ORDER BY VectorDistance(c.in.v, [1,0])",
              "SELECT TOP 3 c.f FROM c JOIN x IN c.l ORDER BY VectorDistance(c.in.v, [1,0])",
              "SELECT TOP 3 * FROM c WHERE c.f + 1 = 2 ORDER BY VectorDistance(c.in.v, [1,0])")) {
        assertThat(explain(store, sql).at("/orderBy/servedBy").asText()).as(sql).isEqualTo("sort");
      }
      for (String sql :
          List.of(
              "SELECT TOP 3 * FROM c ORDER BY VectorDistance([-1, 0.5], c['in'].v, true)",
              "SELECT c.id FROM c ORDER BY VectorDistance(c.in.v, [1,0]) OFFSET 1 LIMIT 9",
              "SELECT TOP 3 * FROM c WHERE c.f = 1 ORDER BY VectorDistance(c.in.v, [1,0])")) {
        assertThat(explain(store, sql).at("/orderBy/kind").asText()).as(sql).isEqualTo("flat");
      }
    }
  }

  @Test
  void updatesEntriesWithTheItems() {
    try (QueryStore store = store("cosine")) {
      store.fill(items());
      assertThat(entries(store))
          .containsExactly("1:1.0,0.0", "2:0.0,3.0", "3:-1.0,0.0", "4:6.0,6.0", "7:0.0,0.0");
      TestStore.of(store.items.replace(item("a", 9, "[1,0]"), WriteOptions.DEFAULT));
      TestStore.of(store.items.replace(item("b", 2, "[7,8]"), WriteOptions.DEFAULT));
      TestStore.of(store.items.patch("c", new PatchOperation.Set("/in/v", List.of(5, 5))));
      TestStore.of(store.items.delete("d"));
      TestStore.of(store.items.upsert(item("e", 1, "[2,2]"), WriteOptions.DEFAULT));
      TestStore.of(store.items.upsert(item("g", 1, "[2]"), WriteOptions.DEFAULT));
      assertThat(entries(store))
          .containsExactly("1:1.0,0.0", "2:7.0,8.0", "3:5.0,5.0", "5:2.0,2.0");
      assertThat(TestStore.of(store.items.sizes()).indexes())
          .anyMatch(size -> size.index().equals("vector#1") && size.entries() == 4);
      store.items.load(Flux.just(item("a", 1, "[9,9]"), item("z", 1, "[4,4]"))).blockLast();
      assertThat(entries(store))
          .contains("1:9.0,9.0", "2:7.0,8.0", "3:5.0,5.0", "5:2.0,2.0")
          .hasSize(5)
          .anyMatch(entry -> entry.endsWith(":4.0,4.0"));
      TestStore.of(
          store.items.upsert(
              item("a", 1, "[9,9]"),
              WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE)));
      assertThat(entries(store)).hasSize(4).noneMatch(entry -> entry.startsWith("1:"));
    }
  }

  @Test
  void readsOnlyTheShardsOfTheCondition() {
    try (QueryStore store = sharded("euclidean")) {
      store.fill(items());
      String order = " ORDER BY VectorDistance(c.in.v, [1,0])";
      Map<String, Integer> entriesRead = new LinkedHashMap<>();
      for (String where :
          List.of(
              "",
              "WHERE c.f = 1",
              "WHERE 2.0 = c.f",
              "WHERE c.f IN (2, 3)",
              "WHERE c.f IN (2, 1)",
              "WHERE c.f = 1 AND c.id != 'a' AND c.f > 0",
              "WHERE c.f = null",
              "WHERE c.f > 1")) {
        SqlQuery query = SqlQuery.of("SELECT TOP 9 VALUE c.id FROM c " + where + order);
        var page = store.page(query);
        assertThat(page.items())
            .as(where)
            .isEqualTo(store.rows(query.withOptions(QueryOptions.DEFAULT.withForceScan(true))));
        entriesRead.put(where, (int) page.metrics().entriesRead());
      }
      assertThat(entriesRead)
          .containsEntry("", 5)
          .containsEntry("WHERE c.f = 1", 3)
          .containsEntry("WHERE 2.0 = c.f", 2)
          .containsEntry("WHERE c.f IN (2, 3)", 2)
          .containsEntry("WHERE c.f IN (2, 1)", 5)
          .containsEntry("WHERE c.f = null", 0);
      SqlQuery open = SqlQuery.of("SELECT TOP 9 VALUE c.id FROM c WHERE c.f = @f" + order);
      assertThat(text(store.page(open.with("f", 1)).items())).isEqualTo("agc");
      assertThat(text(store.page(open.with("f", 2)).items())).isEqualTo("bd");
      assertThat(store.page(open.with("f", 2)).metrics().entriesRead()).isEqualTo(2);
      JsonNode plan = explain(store, "SELECT TOP 3 * FROM c WHERE c.f = 1 AND c.g = 2" + order);
      assertThat(plan.at("/orderBy"))
          .hasToString(
              "{\"servedBy\":\"vector#1\",\"kind\":\"flat\",\"spec\":[\"/in/v\"],"
                  + "\"distanceFunction\":\"euclidean\",\"shardPath\":\"/f\",\"shards\":[1]}");
      assertThat(plan.at("/access")).hasSize(1);
      assertThat(plan.at("/access/0/spec")).hasToString("[\"/g/?\"]");
      plan = explain(store, "SELECT TOP 3 * FROM c WHERE c.f = 1" + order);
      assertThat(plan.at("/class").asText()).isEqualTo("indexSeek");
      assertThat(plan.at("/residual").isNull()).isTrue();
      assertThat(explain(store, TOP).at("/orderBy/shards").isMissingNode()).isTrue();
    }
  }

  @Test
  void movesItemsBetweenShards() {
    try (QueryStore store = sharded("euclidean")) {
      store.fill(items());
      String sql =
          "SELECT TOP 9 VALUE c.id FROM c WHERE c.f = %s ORDER BY"
              + " VectorDistance(c.in.v, [1,0])";
      TestStore.of(store.items.replace(item("a", 2, "[1,0]"), WriteOptions.DEFAULT));
      TestStore.of(store.items.patch("c", new PatchOperation.Set("/f", "2")));
      TestStore.of(store.items.patch("g", new PatchOperation.Set("/f", List.of(1, 2))));
      assertThat(entries(store)).hasSize(5);
      assertThat(store.rows(sql.formatted("1"), QueryOptions.DEFAULT)).isEmpty();
      assertThat(text(store.rows(sql.formatted("2"), QueryOptions.DEFAULT))).isEqualTo("abd");
      assertThat(text(store.rows(sql.formatted("'2'"), QueryOptions.DEFAULT))).isEqualTo("c");
      assertThat(text(store.rows(sql.formatted("[1,2]"), QueryOptions.DEFAULT))).isEqualTo("g");
      assertThat(TestStore.of(store.items.sizes()).indexes())
          .anyMatch(size -> size.index().equals("vector#1") && size.entries() == 5);
    }
  }

  @Test
  void hasShardsOfComputedValues() {
    CollectionDefinition computed =
        sharded("euclidean", "/even")
            .withComputedProperties(
                List.of(new ComputedProperty("even", "SELECT VALUE c.f % 2 = 0 FROM c")));
    try (QueryStore store = new QueryStore(computed, DocumentStoreOptions.DEFAULT)) {
      store.fill(items());
      SqlQuery query =
          SqlQuery.of(
              "SELECT TOP 9 VALUE c.id FROM c WHERE c.even = true"
                  + " ORDER BY VectorDistance(c.in.v, [1,0])");
      var page = store.page(query);
      assertThat(text(page.items())).isEqualTo("bd");
      assertThat(page.metrics().entriesRead()).isEqualTo(2);
      TestStore.of(store.items.patch("a", new PatchOperation.Set("/f", 6)));
      assertThat(text(store.page(query).items())).isEqualTo("abd");
      store
          .items
          .replaceDefinition(
              computed.withComputedProperties(
                  List.of(new ComputedProperty("even", "SELECT VALUE c.f % 2 = 1 FROM c"))))
          .blockLast();
      TestStore.await(
          () -> explain(store, query.text()).at("/orderBy/kind").asText().equals("flat"));
      assertThat(text(store.page(query).items())).isEqualTo("gc");
      assertThat(entries(store)).hasSize(5);
    }
  }

  @Test
  void readsAnIndexOfABuildThatIgnoredTheShardPath() {
    try (QueryStore store = store("euclidean")) {
      store.fill(items());
      CollectionRecord old = StoredKeys.view(store.kv(), "c").record();
      CollectionDefinition sharded = sharded("euclidean", "/f");
      CollectionRecord ignored =
          new CollectionRecord(
              old.id(),
              sharded,
              old.policyVersion(),
              old.numbers(),
              old.nextNumber(),
              old.entriesNumber(),
              old.expiriesNumber(),
              old.longIds(),
              List.of(),
              List.of(),
              List.of());
      byte[] key = CollectionKeys.definition("kvi", "c");
      TestStore.of(store.kv().set(KvKey.fromEncoded(key), ignored.encode()));
      String sql =
          "SELECT TOP 9 VALUE c.id FROM c WHERE c.f = 2 ORDER BY VectorDistance(c.in.v, [1,0])";
      assertThat(text(store.rows(sql, QueryOptions.DEFAULT))).isEqualTo("bd");
      assertThat(explain(store, sql).at("/orderBy").has("shardPath")).isFalse();
      TestStore.of(store.items.upsert(item("a", 2, "[1,0]"), WriteOptions.DEFAULT));
      assertThat(text(store.rows(sql, QueryOptions.DEFAULT))).isEqualTo("abd");
      store.items.replaceDefinition(sharded.withDefaultTtl(-1)).blockLast();
      TestStore.await(() -> explain(store, sql).at("/orderBy").has("shardPath"));
      assertThat(text(store.rows(sql, QueryOptions.DEFAULT))).isEqualTo("abd");
      TestStore.await(() -> StoredKeys.view(store.kv(), "c").record().drops().isEmpty());
      store.items.replaceDefinition(sharded).blockLast();
      TestStore.await(() -> StoredKeys.view(store.kv(), "c").record().drops().isEmpty());
      assertThat(entries(store)).hasSize(5);
    }
  }

  @Test
  void replacesItemsWithoutARowByTheNext() {
    ManualClock clock = new ManualClock();
    CollectionDefinition expiring = definition("euclidean", "consistent").withDefaultTtl(-1);
    DocumentStoreOptions options =
        DocumentStoreOptions.DEFAULT.withClock(clock).withBackground(false);
    try (QueryStore store = new QueryStore(expiring, options)) {
      List<ObjectNode> all = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        ObjectNode item = item("i" + i, i % 2, "[" + i + ",0]");
        if (i < 50) {
          item.put("ttl", 10);
        }
        if (i >= 180) {
          item.put("named", i);
        }
        all.add(item);
      }
      store.fill(all);
      clock.advance(20);
      String order = " FROM c ORDER BY VectorDistance(c.in.v, [0,0])";
      assertThat(store.rows("SELECT TOP 2 VALUE c.id" + order, QueryOptions.DEFAULT))
          .hasToString("[\"i50\", \"i51\"]");
      assertThat(store.rows("SELECT TOP 3 VALUE c.named" + order, QueryOptions.DEFAULT))
          .hasToString("[180, 181, 182]");
      String where = " FROM c WHERE c.f = 1 AND c.named > 0 ORDER BY VectorDistance(c.in.v, [0,0])";
      assertThat(store.rows("SELECT TOP 3 VALUE c.named" + where, QueryOptions.DEFAULT))
          .hasToString("[181, 183, 185]");
      assertThat(
              store.rows(
                  "SELECT VALUE c.named" + where + " OFFSET 8 LIMIT 100", QueryOptions.DEFAULT))
          .hasToString("[197, 199]");
    }
  }

  @Test
  void sortsAndKeepsEntriesInALazyCollection() {
    DocumentStoreOptions lazy = DocumentStoreOptions.DEFAULT.withAllowLazy(true);
    try (QueryStore store = new QueryStore(definition("cosine", "lazy"), lazy)) {
      store.fill(items());
      assertThat(text(store.rows(TOP, QueryOptions.DEFAULT))).isEqualTo("adb");
      assertThat(explain(store, TOP).at("/orderBy/servedBy").asText()).isEqualTo("sort");
      TestStore.await(() -> explain(store, TOP).path("indexLag").longValue() == 0);
      assertThat(entries(store)).hasSize(5).contains("2:0.0,3.0");
      store.items.replaceDefinition(definition("cosine", "lazy").withDefaultTtl(99)).blockLast();
      TestStore.await(() -> explain(store, TOP).path("notReady").isEmpty());
      TestStore.await(() -> StoredKeys.view(store.kv(), "c").record().drops().isEmpty());
      assertThat(entries(store)).hasSize(5).contains("2:0.0,3.0");
      store
          .items
          .replaceDefinition(definition("cosine", "consistent").withDefaultTtl(99))
          .blockLast();
      assertThat(text(store.rows(TOP, QueryOptions.DEFAULT))).isEqualTo("adb");
      assertThat(explain(store, TOP).at("/orderBy/kind").asText()).isEqualTo("flat");
    }
  }

  @Test
  void rejectsTypesOfOtherModules() {
    for (String type : List.of("quantizedFlat", "diskANN")) {
      String json = Definitions.toJson(definition("cosine", "consistent")).replace("flat", type);
      assertThatThrownBy(() -> Definitions.parse(json))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_POLICY))
          .hasMessage(
              "INVALID_POLICY: A vector index of type " + type + " needs the module kv-vector.");
    }
  }

  @Test
  void rejectsChanges() {
    CollectionDefinition flat = definition("cosine", "consistent");
    assertThatThrownBy(
            () ->
                CollectionDefinition.checkReplaceable(
                    flat, flat.withIndexingPolicy(IndexingPolicy.DEFAULT)))
        .hasMessageContaining("cannot be modified in Collection Replace");
  }

  @Test
  void storesVectorsOf505Elements() {
    CollectionDefinition large =
        Definitions.parse(
            Definitions.toJson(definition("euclidean", "consistent"))
                .replace("\"dimensions\":2", "\"dimensions\":505"));
    try (QueryStore store = new QueryStore(large, DocumentStoreOptions.DEFAULT)) {
      List<ObjectNode> all = new ArrayList<>();
      for (int i = 0; i < 1500; i++) {
        all.add(item("i" + i, 0, "[" + i + ",0".repeat(504) + "]"));
      }
      store.items.load(Flux.fromIterable(all)).blockLast();
      SqlQuery query =
          SqlQuery.of("SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.in.v, @q)")
              .with("q", Json.parse("[700.1" + ",0".repeat(504) + "]"));
      var page = store.page(query);
      assertThat(page.items()).hasToString("[\"i700\", \"i701\", \"i699\"]");
      assertThat(page.metrics().entriesRead()).isEqualTo(1500);
      assertThat(page.metrics().rankedVectors()).isEqualTo(1500);
      assertThat(page.metrics().candidates()).isZero();
      assertThat(page.metrics().retrievedItems()).isEqualTo(3);
    }
  }

  private static final List<String> WHERE =
      List.of(
          "",
          " WHERE c.f = 1",
          " WHERE c.f = null",
          " WHERE c.f IN (0, '1', {\"x\": 2})",
          " WHERE c.f > 0",
          " WHERE NOT IS_DEFINED(c.f)",
          " WHERE c.f = 1 OR c.id < 'i3'",
          " WHERE c.f = 2 AND c.id > 'i2' AND c.named > 'i3'");

  /** Compares rows, pages and ties of queries by the index to those of a scan. */
  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  @ShortTries(6)
  void agreesWithASort(@ForAll long seed) {
    Random random = new Random(seed);
    String distance = List.of("cosine", "dotproduct", "euclidean").get(random.nextInt(3));
    try (QueryStore store = random.nextBoolean() ? store(distance) : sharded(distance)) {
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 40; i++) {
          change(store, random);
        }
        var unused = entries(store);
        String sql =
            "SELECT TOP "
                + (1 + random.nextInt(30))
                + " VALUE c."
                + (random.nextBoolean() ? "id" : "named")
                + " FROM c"
                + WHERE.get(random.nextInt(WHERE.size()))
                + " ORDER BY VectorDistance(c.in.v, @q)";
        SqlQuery query =
            SqlQuery.of(sql).with("q", List.of(random.nextInt(5) - 2, random.nextDouble() - 0.5));
        List<JsonNode> expected =
            store.rows(query.withOptions(QueryOptions.DEFAULT.withForceScan(true)));
        assertThat(store.rows(query)).as(sql).isEqualTo(expected);
        QueryOptions small = QueryOptions.DEFAULT.withMaxItemCount(1 + random.nextInt(5));
        assertThat(store.pages(query.withOptions(small), () -> {})).as(sql).isEqualTo(expected);
      }
    }
  }

  private static void change(QueryStore store, Random random) {
    String id = "i" + random.nextInt(60);
    if (random.nextInt(5) == 0) {
      TestStore.orNull(store.items.delete(id));
      return;
    }
    String vector =
        switch (random.nextInt(10)) {
          case 0 -> "[1]";
          case 1 -> "null";
          case 2, 3 -> "[" + random.nextGaussian() + "," + random.nextGaussian() + "]";
          default -> "[" + (random.nextInt(5) - 2) + "," + (random.nextInt(5) - 2) + "]";
        };
    ObjectNode item = item(id, random.nextInt(3), vector);
    switch (random.nextInt(8)) {
      case 0 -> item.remove("f");
      case 1 -> item.putNull("f");
      case 2 -> item.put("f", "1");
      case 3 -> item.putObject("f").put("x", 2);
      default -> {}
    }
    if (random.nextBoolean()) {
      item.put("named", id);
    }
    TestStore.of(store.items.upsert(item, WriteOptions.DEFAULT));
  }
}
