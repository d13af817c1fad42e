package io.kvreactive.documents;

import static io.kvreactive.documents.CompositePath.ascending;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests the access paths of queries while indexes are built and dropped and items expire. */
class QueryStatesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MANY = 300; // enough items for a build in the background
  private static final String BOTH = "SELECT VALUE c.id FROM c WHERE c.a = 1 AND c.b = 2";
  private static final String ORDER = "SELECT VALUE c.id FROM c ORDER BY c.a, c.b";

  private final TestStore store = TestStore.at(null);
  private final ManualClock clock = new ManualClock();
  private final DocumentStore quiet =
      DocumentStore.over(
          store.kv(), DocumentStoreOptions.DEFAULT.withClock(clock).withBackground(false));

  @AfterEach
  void end() {
    orNull(quiet.close());
    store.close();
  }

  private DocumentCollection<JsonNode> collection(CollectionDefinition definition) {
    of(quiet.create("c", definition));
    return quiet.collection("c", JsonNode.class);
  }

  private static ObjectNode item(int i) {
    return JsonNodeFactory.instance.objectNode().put("id", "i" + i).put("a", i % 3).put("b", i % 4);
  }

  private static void fill(DocumentCollection<JsonNode> items, int count) {
    Flux.range(0, count).flatMap(i -> items.create(item(i)), 32).blockLast(PATIENCE);
  }

  private static CollectionDefinition with(IndexingPolicy policy) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(policy);
  }

  private static IndexingPolicy composite() {
    return IndexingPolicy.DEFAULT.withComposite(ascending("/a"), ascending("/b"));
  }

  private static ObjectNode explain(DocumentCollection<JsonNode> items, String sql) {
    return of(items.explain(SqlQuery.of(sql))).plan();
  }

  private static List<JsonNode> rows(DocumentCollection<JsonNode> items, String sql) {
    return all(items.query(SqlQuery.of(sql), JsonNode.class));
  }

  /** Completes all changes in the background. */
  private void finish() {
    DocumentStore worker = DocumentStore.over(store.kv());
    all(worker.collection("c", JsonNode.class).transformation());
    orNull(worker.close());
  }

  private static void assertOrderRejected(DocumentCollection<JsonNode> items) {
    assertThatThrownBy(() -> rows(items, ORDER))
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED));
  }

  private static QueryException orderError(DocumentCollection<JsonNode> items) {
    try {
      rows(items, ORDER);
      throw new AssertionError("an index serves the order");
    } catch (QueryException e) {
      return e;
    }
  }

  @Test
  void namesTheMissingIndexUntilThePolicyHasIt() {
    DocumentCollection<JsonNode> items = collection(CollectionDefinition.DEFAULT);
    fill(items, MANY);
    assertThat(orderError(items).missingIndex()).containsExactly("/a ASC", "/b ASC");
    of(items.replaceDefinition(with(composite())).next());
    assertThat(orderError(items))
        .hasMessageContaining("in the indexing policy and not complete yet");
    assertThat(orderError(items).missingIndex()).isEmpty();
    finish();
    assertThat(rows(items, ORDER)).hasSize(MANY);
  }

  @Test
  void namesThePathsOfIndexesThatAreBuiltCountedAndDropped() {
    DocumentCollection<JsonNode> items = collection(CollectionDefinition.DEFAULT);
    fill(items, MANY);
    String paths = of(items.replaceDefinition(with(composite())).next()).jobs().get(0).definition();
    assertThat(paths).contains("/a", "/b");
    assertThat(explain(items, BOTH).at("/notReady/0/definition").asText()).isEqualTo(paths);
    finish();
    assertThat(explain(items, ORDER).at("/orderBy/spec").toString())
        .isEqualTo("[\"/a ASC\",\"/b ASC\"]");
    assertThat(
            explain(items, "SELECT VALUE c.id FROM c WHERE c.a = 1").at("/rejected/0/spec").size())
        .isEqualTo(2);
    assertThat(of(items.sizes()).indexes())
        .filteredOn(size -> size.index().startsWith("composite#"))
        .extracting(CollectionSizes.IndexSize::definition)
        .containsExactly(paths);
    TransformationProgress dropping =
        of(items.replaceDefinition(CollectionDefinition.DEFAULT).next());
    assertThat(dropping.jobs())
        .extracting(TransformationProgress.Job::state, TransformationProgress.Job::definition)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(IndexState.DROPPING, paths));
    assertThat(explain(items, BOTH).at("/notReady/0/definition").asText()).isEqualTo(paths);
  }

  @Test
  void buildsReadsAndDropsACompositeIndex() {
    DocumentCollection<JsonNode> items = collection(CollectionDefinition.DEFAULT);
    fill(items, MANY);
    of(items.replaceDefinition(with(composite())).next());

    ObjectNode building = explain(items, BOTH);
    assertThat(building.at("/notReady/0/index").asText()).startsWith("composite#");
    assertThat(building.at("/notReady/0/state").asText()).isEqualTo("building");
    assertThat(building.at("/notReady/0/progress").asInt(-1)).isBetween(0, 99);
    assertThat(building.get("combine").asText()).isEqualTo("intersection");
    assertThat(rows(items, BOTH)).hasSize(MANY / 12);
    assertOrderRejected(items);

    finish();
    ObjectNode ready = explain(items, BOTH);
    assertThat(ready.get("notReady")).isEmpty();
    assertThat(ready.at("/access/0/kind").asText()).isEqualTo("composite");
    assertThat(ready.at("/access/0/estimatedEntries").asInt()).isEqualTo(MANY / 12);
    assertThat(ready.at("/access/0/estimatedMore").asBoolean(true)).isFalse();
    assertThat(rows(items, BOTH)).hasSize(MANY / 12);
    assertThat(rows(items, ORDER)).hasSize(MANY);

    of(items.replaceDefinition(CollectionDefinition.DEFAULT).next());
    ObjectNode dropping = explain(items, BOTH);
    assertThat(dropping.at("/notReady/0/state").asText()).isEqualTo("dropping");
    assertThat(dropping.at("/access/0/kind").asText()).isEqualTo("range");
    assertOrderRejected(items);
    finish();
    assertThat(explain(items, BOTH).get("notReady")).isEmpty();
  }

  @Test
  void readsRangesOnlyWhileIncludedAndComplete() {
    DocumentCollection<JsonNode> items = collection(CollectionDefinition.DEFAULT);
    fill(items, MANY);
    of(items.replaceDefinition(with(IndexingPolicy.includeRoot("/a/?"))).next());
    assertThat(explain(items, "SELECT * FROM c WHERE c.a = 1").get("class").asText())
        .isEqualTo("fullScan");
    assertThat(rows(items, BOTH)).hasSize(MANY / 12);
    finish();
    of(items.replaceDefinition(CollectionDefinition.DEFAULT).next());
    ObjectNode building = explain(items, "SELECT * FROM c WHERE c.a = 1");
    assertThat(building.get("class").asText()).isEqualTo("fullScan");
    assertThat(building.at("/notReady/0/state").asText()).isEqualTo("building");
    finish();
    assertThat(explain(items, "SELECT * FROM c WHERE c.a = 1").get("class").asText())
        .isEqualTo("indexSeek");
  }

  @Test
  void replacesAFailedIndex() {
    DocumentCollection<JsonNode> items = collection(with(IndexingPolicy.excludeRoot("/id/?")));
    fill(items, MANY);
    ObjectNode large = item(1).put("id", "large");
    ArrayNode values = large.putArray("values");
    for (int i = 0; i < 50_000; i++) {
      values.add(i);
    }
    of(items.create(large));
    long ones = rows(items, "SELECT * FROM c WHERE c.a = 1").size();

    of(items.replaceDefinition(CollectionDefinition.DEFAULT).next());
    finish();
    TransformationProgress failed = of(items.info()).transformation();
    assertThat(failed.jobs())
        .anySatisfy(
            job -> {
              assertThat(job.state()).isEqualTo(IndexState.FAILED);
              assertThat(job.error()).contains("index entries");
            });
    ObjectNode plan = explain(items, "SELECT * FROM c WHERE c.a = 1");
    assertThat(plan.at("/notReady/0/state").asText()).isEqualTo("failed");
    assertThat(plan.at("/notReady/0/error").asText()).contains("index entries");
    assertThat(plan.get("class").asText()).isEqualTo("fullScan");
    assertThat(rows(items, "SELECT * FROM c WHERE c.a = 1")).hasSize((int) ones);
    assertThat(rows(items, "SELECT * FROM c WHERE c.id = 'large'")).hasSize(1);

    of(items.replaceDefinition(with(IndexingPolicy.includeRoot("/values/*"))).next());
    finish();
    assertThat(of(items.info()).transformation().jobs()).isEmpty();
    ObjectNode ready = explain(items, "SELECT * FROM c WHERE c.a = 1");
    assertThat(ready.get("notReady")).isEmpty();
    assertThat(ready.get("class").asText()).isEqualTo("indexSeek");
    assertThat(rows(items, "SELECT * FROM c WHERE c.a = 1")).hasSize((int) ones);
  }

  @Test
  void replansAfterADefinitionChange() {
    DocumentCollection<JsonNode> items = collection(with(composite()));
    fill(items, 60);
    DocumentStore other =
        DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));
    DocumentCollection<JsonNode> elsewhere = other.collection("c", JsonNode.class);
    int expected = 5;
    assertThat(rows(items, BOTH)).hasSize(expected); // plans with the current definition
    assertThat(rows(items, ORDER)).hasSize(60);

    all(elsewhere.replaceDefinition(with(IndexingPolicy.includeRoot("/a/?", "/b/?"))));
    of(
        elsewhere.create(
            item(1).put("id", "new").put("b", 2))); // has no entry in the index of the old plan
    assertThat(rows(items, BOTH)).hasSize(expected + 1);
    assertOrderRejected(items);

    all(elsewhere.replaceDefinition(with(composite())));
    assertThat(rows(items, ORDER)).hasSize(61);
    assertThat(rows(items, BOTH)).hasSize(expected + 1);
    orNull(other.close());
  }

  @Test
  void doesNotCountExpiredItemsBeforeTheirRemoval() {
    DocumentCollection<JsonNode> items = collection(with(composite()).withDefaultTtl(-1));
    for (int i = 0; i < 12; i++) {
      of(items.create(item(i).put("n", i).put("ttl", i < 6 ? 100 : 1000)));
    }
    Map<String, String> before =
        Map.of(
            "SELECT VALUE COUNT(1) FROM c", "12",
            "SELECT VALUE COUNT(1) FROM c WHERE c.n < 8", "8",
            "SELECT VALUE COUNT(1) FROM c WHERE c.n = 2 OR c.n = 7", "2",
            "SELECT VALUE MIN(c.n) FROM c", "0",
            "SELECT VALUE MAX(c.n) FROM c", "11",
            "SELECT VALUE SUM(c.b) FROM c WHERE c.a = 1", "6");
    Map<String, String> after =
        Map.of(
            "SELECT VALUE COUNT(1) FROM c", "6",
            "SELECT VALUE COUNT(1) FROM c WHERE c.n < 8", "2",
            "SELECT VALUE COUNT(1) FROM c WHERE c.n = 2 OR c.n = 7", "1",
            "SELECT VALUE MIN(c.n) FROM c", "6",
            "SELECT VALUE MAX(c.n) FROM c", "11",
            "SELECT VALUE SUM(c.b) FROM c WHERE c.a = 1", "5");
    for (String sql : before.keySet()) {
      assertThat(explain(items, sql).get("covered").asBoolean()).as(sql).isTrue();
      assertThat(rows(items, sql)).as(sql).hasToString("[" + before.get(sql) + "]");
      QueryPage<JsonNode> page = of(items.page(SqlQuery.of(sql), JsonNode.class));
      assertThat(page.metrics().retrievedItems()).as(sql).isZero();
    }
    assertThat(explain(items, "SELECT VALUE MIN(c.n) FROM c").at("/aggregate/reads").asText())
        .isEqualTo("first");
    assertThat(
            of(items.page(SqlQuery.of("SELECT VALUE MAX(c.n) FROM c"), JsonNode.class))
                .metrics()
                .entriesRead())
        .isLessThanOrEqualTo(2);

    clock.advance(500); // no sweeper runs
    for (String sql : after.keySet()) {
      assertThat(rows(items, sql)).as(sql).hasToString("[" + after.get(sql) + "]");
    }
  }

  @Test
  void skipsExpiredItemsInMinAndMax() {
    DocumentCollection<JsonNode> items =
        collection(CollectionDefinition.DEFAULT.withDefaultTtl(-1));
    int expired = 20;
    Flux.range(0, MANY)
        .map(i -> item(i).put("n", i).put("ttl", i < expired ? 100 : 1000))
        .flatMap(items::create, 32)
        .blockLast(PATIENCE);
    String alike = "x".repeat(2000); // keys truncate the differing end
    for (int i = 0; i < 40; i++) {
      ObjectNode last = item(MANY + i).put("s", alike + (char) ('A' + i));
      of(items.create(last.put("ttl", i < 30 ? 1000 : 100)));
    }
    of(items.create(item(-1).put("id", "none").put("gone", 1).put("ttl", 100)));
    ObjectNode container = item(-1).put("id", "box").put("ttl", 100);
    container.putArray("mixed").add(1);
    of(items.create(container));
    of(items.create(item(-1).put("id", "one").put("mixed", 7)));

    clock.advance(500); // no sweeper runs
    assertThat(minMaxVerifiedByScan(items, "MIN(c.n)", 4L * expired)).isEqualTo("[20]");
    assertThat(minMaxVerifiedByScan(items, "MAX(c.n)", 4)).isEqualTo("[299]");
    assertThat(minMaxVerifiedByScan(items, "MIN(c.s)", 80)).isEqualTo("[\"" + alike + "A\"]");
    assertThat(minMaxVerifiedByScan(items, "MAX(c.s)", 80)).isEqualTo("[\"" + alike + "^\"]");
    assertThat(minMaxVerifiedByScan(items, "MIN(c.gone)", 8))
        .isEqualTo(rowsOf("MIN(c.nothing)", items));
    assertThat(minMaxVerifiedByScan(items, "MAX(c.mixed)", 8)).isEqualTo("[7]");
    assertThat(rows(items, "SELECT MIN(c.n) AS a, MAX(c.n) AS b FROM c"))
        .hasToString("[{\"a\":20,\"b\":299}]");

    clock.advance(1000);
    assertThat(minMaxVerifiedByScan(items, "MIN(c.n)", 2 * MANY))
        .isEqualTo(rowsOf("MIN(c.nothing)", items));
  }

  /**
   * Returns the result, after asserting that a forced scan returns the same and that the query
   * reads at most {@code mostEntries} entries.
   */
  private static String minMaxVerifiedByScan(
      DocumentCollection<JsonNode> items, String what, long mostEntries) {
    SqlQuery query = SqlQuery.of("SELECT VALUE " + what + " FROM c");
    assertThat(of(items.explain(query)).plan().has("aggregate")).as(what).isTrue();
    QueryPage<JsonNode> page = of(items.page(query, JsonNode.class));
    SqlQuery scan = query.withOptions(QueryOptions.DEFAULT.withForceScan(true));
    String scanned = of(items.page(scan, JsonNode.class)).items().toString();
    assertThat(page.items().toString()).as(what).isEqualTo(scanned);
    assertThat(page.metrics().entriesRead()).as(what).isLessThanOrEqualTo(mostEntries);
    assertThat(page.metrics().retrievedItems()).as(what).isLessThanOrEqualTo(mostEntries);
    return page.items().toString();
  }

  private static String rowsOf(String what, DocumentCollection<JsonNode> items) {
    return rows(items, "SELECT VALUE " + what + " FROM c").toString();
  }

  @Test
  void findsItemsWithoutAnExplicitlyIncludedPath() {
    DocumentCollection<JsonNode> items =
        collection(with(IndexingPolicy.DEFAULT.withIncluded("/n/?")));
    fill(items, 20);
    of(items.upsert(item(3).put("n", 1)));
    String sql = "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.n)";
    ObjectNode plan = explain(items, sql);
    assertThat(plan.at("/access/0/index").asText()).isEqualTo("range:/n/?");
    assertThat(plan.get("class").asText()).isEqualTo("indexSeek");
    assertThat(rows(items, sql)).hasSize(19);
    assertThat(
            explain(items, "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.m)")
                .get("class")
                .asText())
        .isEqualTo("fullScan");
  }
}
