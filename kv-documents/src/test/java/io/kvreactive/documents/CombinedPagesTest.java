package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Pages of queries that combine rows: GROUP BY, DISTINCT, and queries over them. */
class CombinedPagesTest {
  private static final List<String> QUERIES =
      List.of(
          "SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k",
          "SELECT VALUE COUNT(1) FROM c GROUP BY c.k",
          "SELECT c.k, c.s, SUM(c.v) AS v, MAX(c.v) AS m FROM c GROUP BY c.k, c.s",
          "SELECT c.k FROM c WHERE c.v > 10 GROUP BY c.k OFFSET 2 LIMIT 9",
          "SELECT t AS tag, COUNT(1) AS n FROM c JOIN t IN c.tags GROUP BY t",
          "SELECT DISTINCT VALUE c.k FROM c",
          "SELECT DISTINCT c.k, c.s FROM c",
          "SELECT DISTINCT c.k, c.s FROM c ORDER BY c.v DESC",
          "SELECT DISTINCT VALUE c.k FROM c ORDER BY c.k",
          "SELECT DISTINCT TOP 7 VALUE c.k FROM c",
          "SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags OFFSET 1 LIMIT 4",
          "SELECT DISTINCT VALUE COUNT(1) FROM c GROUP BY c.k",
          "SELECT * FROM (SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k) AS g ORDER BY g.n DESC",
          "SELECT VALUE g.n FROM (SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k) AS g WHERE g.n >"
              + " 1",
          "SELECT g.n, COUNT(1) AS m FROM (SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k) AS g"
              + " GROUP BY g.n",
          "SELECT COUNT(1) AS n FROM (SELECT DISTINCT VALUE c.k FROM c) AS d",
          "SELECT VALUE d FROM (SELECT DISTINCT c.k FROM c) AS d");

  private final TestStore store = openStore();
  private DocumentStore index = open();

  /** Opens the store of the tests, in memory. */
  TestStore openStore() {
    return TestStore.at(null);
  }

  private DocumentStore open() {
    return DocumentStore.over(
        store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false)); // has threads of its own
  }

  private DocumentCollection<JsonNode> items() {
    return index.collection(
        "c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
  }

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  /** Held results are gone afterwards, as after a restart. */
  private void reopen() {
    orNull(index.close());
    index = open();
  }

  private static ObjectNode item(int i, Random random) {
    ObjectNode item =
        JsonNodeFactory.instance.objectNode().put("id", "i" + i).put("pk", random.nextInt(2));
    item.put("v", random.nextInt(40));
    switch (random.nextInt(8)) {
      case 0 -> item.putNull("k");
      case 1 -> item.putArray("k").add(random.nextInt(3));
      case 2 -> item.putObject("k").put("x", random.nextInt(3) / 2.0);
      case 3 -> item.put("k", random.nextInt(5));
      case 4 -> {} // undefined
      default -> item.put("k", "ä" + random.nextInt(10));
    }
    item.put("s", random.nextInt(3));
    for (int t = random.nextInt(3); t > 0; t--) {
      item.withArray("tags").add("t" + random.nextInt(8));
    }
    return item;
  }

  @Property(tries = 60)
  @ShortTries(15)
  void pagesAreTheRowsWithoutPages(@ForAll Random random) {
    try (TestStore other = TestStore.at(null)) {
      DocumentStoreOptions options = DocumentStoreOptions.DEFAULT.withBackground(false);
      DocumentStore one = DocumentStore.over(other.kv(), options);
      DocumentStore two = DocumentStore.over(other.kv(), options); // holds no results of one
      CollectionDefinition definition = CollectionDefinition.DEFAULT.withPartitionKey("/pk");
      of(
          one.collection("c", JsonNode.class, definition)
              .load(Flux.range(0, random.nextInt(60)).map(i -> item(i, random)))
              .then(one.describe("c")));
      for (String sql : QUERIES) {
        QueryOptions queryOptions =
            QueryOptions.DEFAULT
                .withPartitionKey(random.nextInt(3) == 0 ? PartitionKey.of(1) : null)
                .withForceScan(random.nextInt(4) == 0);
        SqlQuery query = SqlQuery.of(sql).withOptions(queryOptions);
        List<JsonNode> expected =
            all(one.collection("c", JsonNode.class).query(query, JsonNode.class));
        List<JsonNode> read = new ArrayList<>();
        String continuation = "";
        do {
          DocumentCollection<JsonNode> items =
              (random.nextInt(3) == 0 ? two : one).collection("c", JsonNode.class);
          int limit = 1 + random.nextInt(9);
          QueryOptions next =
              queryOptions
                  .withContinuation(continuation)
                  .withMaxItemCount(limit)
                  .withMaxPageBytes(1 + random.nextInt(400));
          if (!continuation.isEmpty() && random.nextInt(9) == 0) { // the rest without pages
            read.addAll(all(items.query(query.withOptions(next), JsonNode.class)));
            break;
          }
          QueryPage<JsonNode> page = of(items.page(query.withOptions(next), JsonNode.class));
          assertThat(page.items()).hasSizeBetween(page.continuation() == null ? 0 : 1, limit);
          read.addAll(page.items());
          continuation = page.continuation();
        } while (continuation != null);
        assertThat(read).as(sql).hasToString(expected.toString());
      }
      orNull(one.close());
      orNull(two.close());
    }
  }

  private static SqlQuery groups(int limit, String continuation) {
    return SqlQuery.of("SELECT c.g, COUNT(1) AS n, MAX(c.v) AS last FROM c GROUP BY c.g")
        .withOptions(QueryOptions.DEFAULT.withMaxItemCount(limit).withContinuation(continuation));
  }

  void drop() {
    of(index.drop("c"));
  }

  private void load(int groups) {
    of(
        items()
            .load(
                Flux.range(0, groups)
                    .map(
                        i ->
                            JsonNodeFactory.instance
                                .objectNode()
                                .put("id", "i" + i)
                                .put("pk", 1)
                                .put("g", "g" + i)
                                .put("v", i)))
            .then(index.describe("c")));
  }

  private int readAll(int limit) {
    Set<JsonNode> seen = new HashSet<>();
    String continuation = "";
    while (continuation != null) {
      QueryPage<JsonNode> page = of(items().page(groups(limit, continuation), JsonNode.class));
      for (JsonNode row : page.items()) {
        assertThat(seen.add(row.get("g"))).isTrue();
      }
      continuation = page.continuation();
    }
    return seen.size();
  }

  @Test
  void readsManyGroupsByPages() {
    load(3000);
    assertThat(readAll(100)).isEqualTo(3000);
  }

  @Test
  @Tag("long")
  void readsManyMoreGroupsByPages() {
    load(100_000);
    assertThat(readAll(100)).isEqualTo(100_000);
  }

  @Test
  void readsLaterPagesFromTheHeldResult() {
    load(300);
    QueryPage<JsonNode> first = of(items().page(groups(100, ""), JsonNode.class));
    of(items().upsert(JsonNodeFactory.instance.objectNode().put("id", "x").put("g", "new")));
    QueryPage<JsonNode> second =
        of(items().page(groups(100, first.continuation()), JsonNode.class));
    assertThat(second.snapshot()).isEqualTo(first.snapshot());
    assertThat(second.metrics().retrievedItems() + second.metrics().entriesRead()).isZero();
    QueryPage<JsonNode> again = of(items().page(groups(100, first.continuation()), JsonNode.class));
    assertThat(again.items()).isEqualTo(second.items());
    QueryPage<JsonNode> last = of(items().page(groups(200, second.continuation()), JsonNode.class));
    assertThat(last.items()).hasSize(100);
    assertThat(last.continuation()).isNull();
  }

  /** Writes that move no group: new items, and other values of existing ones. */
  @Test
  void continuesAfterTheLastGroupIfTheResultIsNotHeldAnyMore() {
    load(60);
    Set<String> seen = new HashSet<>();
    String continuation = "";
    int written = 0;
    while (continuation != null) {
      QueryPage<JsonNode> page = of(items().page(groups(7, continuation), JsonNode.class));
      page.items().forEach(row -> assertThat(seen.add(row.get("g").asText())).isTrue());
      continuation = page.continuation();
      if (written < 9) {
        ObjectNode changed = JsonNodeFactory.instance.objectNode().put("pk", 1);
        of(items().upsert(changed.deepCopy().put("id", "i" + written).put("g", "g" + written)));
        of(items().upsert(changed.put("id", "new" + written).put("g", "new" + written)));
        written++;
      }
      reopen();
    }
    assertThat(seen).hasSize(60 + 9);
  }

  @Test
  void continuesIfTheLastGroupsHaveDisappeared() {
    load(60);
    QueryPage<JsonNode> first = of(items().page(groups(10, ""), JsonNode.class));
    reopen();
    for (JsonNode row : first.items().subList(7, 10)) {
      String id = "i" + row.get("g").asText().substring(1);
      of(items().delete(id, PartitionKey.of(1), WriteOptions.DEFAULT));
    }
    QueryPage<JsonNode> rest = of(items().page(groups(100, first.continuation()), JsonNode.class));
    assertThat(rest.items()).hasSize(50).doesNotContainAnyElementsOf(first.items());
  }

  @Test
  void servesNoHeldRowsOfADroppedCollection() {
    load(30);
    QueryPage<JsonNode> first = of(items().page(groups(10, ""), JsonNode.class));
    drop();
    CollectionContract.assertCode(
        DocumentErrorCode.COLLECTION_NOT_FOUND,
        index
            .collection("c", JsonNode.class)
            .page(groups(10, first.continuation()), JsonNode.class));
    load(3);
    QueryPage<JsonNode> other = of(items().page(groups(10, first.continuation()), JsonNode.class));
    assertThat(other.items().size()).isLessThanOrEqualTo(3);
  }
}
