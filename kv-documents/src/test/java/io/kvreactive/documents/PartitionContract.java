package io.kvreactive.documents;

import static io.kvreactive.documents.CollectionContract.assertCode;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The contract of queries, lists and deletions within one partition key, and of hierarchical
 * partition keys.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // the tests share one store
abstract class PartitionContract {
  private static final int COUNTRIES = 5;
  private static final int ITEMS = 40; // of each country
  private static final PartitionKey NO = PartitionKey.of("no");

  private TestStore store;
  private DocumentStore index;
  private DocumentCollection<JsonNode> people;

  abstract TestStore open();

  /** Returns the collections of the store, as the program under test uses them. */
  DocumentStore documents(TestStore of) {
    return DocumentStore.over(of.kv());
  }

  @BeforeAll
  void start() {
    store = open();
    index = documents(store);
    people = fill("people", IndexingPolicy.DEFAULT);
    fill("unindexed", IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.NONE));
  }

  @AfterAll
  void end() {
    orNull(index.close());
    store.close();
  }

  private DocumentCollection<JsonNode> fill(String name, IndexingPolicy policy) {
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT.withPartitionKey("/country").withIndexingPolicy(policy);
    of(index.create(name, definition));
    List<JsonNode> items = new ArrayList<>();
    for (int i = 0; i < COUNTRIES * ITEMS; i++) {
      String country = List.of("no", "n", "no\0", "uk", "o").get(i % COUNTRIES);
      items.add(item("i" + i, i).put("country", country));
    }
    DocumentCollection<JsonNode> made = index.collection(name, JsonNode.class);
    of(made.load(Flux.fromIterable(items)).last());
    return made;
  }

  private static ObjectNode item(String id, int n) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("n", n).put("odd", n % 2);
  }

  private static SqlQuery within(PartitionKey partition, String sql) {
    return SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withPartitionKey(partition));
  }

  private static List<JsonNode> rows(
      DocumentCollection<?> from, PartitionKey partition, String sql) {
    return all(from.query(within(partition, sql), JsonNode.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"people", "unindexed"})
  void readsItsPartitionOnly(String name) {
    var items = index.collection(name, JsonNode.class);
    QueryPage<JsonNode> page =
        of(items.page(within(NO, "SELECT * FROM c WHERE c.odd = 1"), JsonNode.class));

    assertThat(page.items()).hasSize(ITEMS / 2);
    assertThat(page.items()).allMatch(item -> item.get("country").asText().equals("no"));
    assertThat(page.metrics().entriesRead()).isEqualTo(ITEMS);
    assertThat(page.metrics().retrievedItems()).isEqualTo(ITEMS);
  }

  @Test
  void readsAllPartitionsByDefault() {
    assertThat(all(people.query("SELECT * FROM c"))).hasSize(COUNTRIES * ITEMS);
    assertThat(rows(people, PartitionKey.NONE, "SELECT * FROM c")).hasSize(COUNTRIES * ITEMS);
  }

  @Test
  void answersAsAConditionOnThePartitionKeyDoes() {
    for (String query :
        List.of(
            "SELECT VALUE c.n FROM c WHERE %s",
            "SELECT VALUE c.n FROM c WHERE %s AND c.n > 50 ORDER BY c.n DESC",
            "SELECT VALUE c.n FROM c WHERE %s ORDER BY c.n OFFSET 3 LIMIT 5",
            "SELECT TOP 3 VALUE c.n FROM c WHERE %s ORDER BY c.n",
            "SELECT VALUE COUNT(1) FROM c WHERE %s",
            "SELECT VALUE MAX(c.n) FROM c WHERE %s",
            "SELECT VALUE SUM(c.n) FROM c WHERE %s AND c.odd = 1",
            "SELECT c.odd, COUNT(1) AS count FROM c WHERE %s GROUP BY c.odd",
            "SELECT DISTINCT VALUE c.odd FROM c WHERE %s",
            "SELECT DISTINCT VALUE c.odd FROM c WHERE %s ORDER BY c.odd",
            "SELECT VALUE x.n FROM (SELECT c.n FROM c WHERE %s AND c.n < 90) x",
            "SELECT VALUE c.n FROM c WHERE %s AND false")) {
      assertThat(rows(people, NO, query.formatted("true")))
          .as(query)
          .containsExactlyInAnyOrderElementsOf(
              all(people.query(SqlQuery.of(query.formatted("c.country = 'no'")), JsonNode.class)));
    }
    assertThat(rows(people, NO, "SELECT VALUE c.n FROM c ORDER BY c.n DESC"))
        .extracting(JsonNode::intValue)
        .isSortedAccordingTo((a, b) -> b - a)
        .hasSize(ITEMS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT VALUE c.n FROM c", "SELECT VALUE c.n FROM c ORDER BY c.n DESC"})
  void continuesPagesInThePartition(String sql) {
    List<JsonNode> paged = new ArrayList<>();
    QueryOptions options = QueryOptions.DEFAULT.withPartitionKey(NO).withMaxItemCount(7);
    String continuation = "";
    do {
      QueryPage<JsonNode> page =
          of(
              people.page(
                  SqlQuery.of(sql).withOptions(options.withContinuation(continuation)),
                  JsonNode.class));
      paged.addAll(page.items());
      continuation = page.continuation();
    } while (continuation != null);

    assertThat(paged).isEqualTo(rows(people, NO, sql));
  }

  @Test
  void rejectsTheContinuationOfAnotherPartition() {
    QueryOptions options = QueryOptions.DEFAULT.withPartitionKey(NO).withMaxItemCount(7);
    SqlQuery query = SqlQuery.of("SELECT * FROM c").withOptions(options);
    String continuation = of(people.page(query, JsonNode.class)).continuation();

    assertCode(
        DocumentErrorCode.INVALID_CONTINUATION,
        people.page(
            query.withOptions(
                options.withContinuation(continuation).withPartitionKey(PartitionKey.of("uk"))),
            JsonNode.class));
  }

  @Test
  void needsNoIndexWithoutScans() {
    SqlQuery query = within(NO, "SELECT * FROM c WHERE c.odd = 1");
    SqlQuery strict = query.withOptions(query.options().withEnableScan(false));

    assertThat(all(index.collection("unindexed", JsonNode.class).query(strict, JsonNode.class)))
        .hasSize(ITEMS / 2);
  }

  @Test
  void usesAnIndexInALargePartition() {
    CollectionDefinition byKind = CollectionDefinition.DEFAULT.withPartitionKey("/kind");
    of(index.create("large", byKind));
    var large = index.collection("large", JsonNode.class);
    of(
        large
            .load(
                Flux.range(0, 4500)
                    .map(i -> item("i" + i, i).put("kind", i < 4000 ? "a" : "b").put("r", i % 450)))
            .last());
    PartitionKey a = PartitionKey.of("a");
    QueryPage<JsonNode> few =
        of(large.page(within(a, "SELECT VALUE c.n FROM c WHERE c.r = 7"), JsonNode.class));

    assertThat(few.items()).hasSize(9);
    assertThat(few.metrics().entriesRead()).isEqualTo(4000 + 10);
    assertThat(few.metrics().retrievedItems()).isEqualTo(9);
    QueryPage<JsonNode> many =
        of(large.page(within(a, "SELECT VALUE COUNT(1) FROM c WHERE c.odd = 1"), JsonNode.class));
    assertThat(many.items()).extracting(JsonNode::intValue).containsExactly(2000);
    assertThat(many.metrics().retrievedItems()).isEqualTo(4000);
    QueryPage<JsonNode> count =
        of(large.page(within(a, "SELECT VALUE COUNT(1) FROM c"), JsonNode.class));
    assertThat(count.items()).extracting(JsonNode::intValue).containsExactly(4000);
    assertThat(count.metrics().retrievedItems()).isZero();
  }

  @Test
  void explainsThePartition() {
    JsonNode plan = of(people.explain(within(NO, "SELECT * FROM c"))).plan();

    assertThat(plan.path("partition")).hasToString("{\"key\":[\"no\"],\"prefix\":false}");
  }

  @Test
  void watchesItsPartitionOnly() {
    of(index.create("watched", CollectionDefinition.DEFAULT.withPartitionKey("/country")));
    var watched = index.collection("watched", JsonNode.class);
    of(watched.create(item("a", 1).put("country", "no")));
    of(watched.create(item("b", 1).put("country", "uk")));
    List<String> seen = new CopyOnWriteArrayList<>();
    var subscription =
        watched
            .watchQuery(within(NO, "SELECT * FROM c"), JsonNode.class)
            .subscribe(
                update -> {
                  if (update instanceof QueryUpdate.Synced<JsonNode>) {
                    seen.add("synced");
                  } else if (update instanceof QueryUpdate.Insert<JsonNode> insert) {
                    seen.add(insert.id());
                  }
                });
    TestStore.await(() -> seen.contains("synced"));
    of(watched.create(item("c", 1).put("country", "uk")));
    of(watched.create(item("d", 1).put("country", "no")));
    TestStore.await(() -> seen.contains("d"));
    subscription.dispose();

    assertThat(seen).containsExactly("a", "synced", "d");
  }

  @Test
  void readsPrefixesOfHierarchicalKeys() {
    CollectionDefinition byTenant =
        CollectionDefinition.DEFAULT.withPartitionKey("/tenant", "/user/id", "/session");
    of(index.create("tenants", byTenant));
    var items = index.collection("tenants", JsonNode.class);
    for (int i = 0; i < 27; i++) {
      ObjectNode one = item("same", i).put("tenant", "t" + i / 9).put("session", i % 3);
      one.putObject("user").put("id", i / 3 % 3 == 2 ? null : "u" + i / 3 % 3);
      of(items.create(one));
    }

    assertThat(rows(items, PartitionKey.of("t1"), "SELECT VALUE c.n FROM c"))
        .extracting(JsonNode::intValue)
        .containsExactly(9, 10, 11, 12, 13, 14, 15, 16, 17);
    assertThat(rows(items, PartitionKey.of("t1", null), "SELECT VALUE c.n FROM c"))
        .extracting(JsonNode::intValue)
        .containsExactly(15, 16, 17);
    assertThat(rows(items, PartitionKey.of("t1", "u0", 1.0), "SELECT VALUE c.n FROM c"))
        .extracting(JsonNode::intValue)
        .containsExactly(10);
    assertThat(of(items.read("same", PartitionKey.of("t2", "u1", 2))).value().get("n").intValue())
        .isEqualTo(23);
    JsonNode plan = of(items.explain(within(PartitionKey.of("t1"), "SELECT * FROM c"))).plan();
    assertThat(plan.path("partition").path("prefix").booleanValue()).isTrue();
    assertCode(DocumentErrorCode.INVALID_ARGUMENT, items.read("same", PartitionKey.of("t2", "u1")));
    assertCode(
        DocumentErrorCode.INVALID_ARGUMENT,
        items.query(
            within(PartitionKey.of("a", "b", "c", "d"), "SELECT * FROM c"), JsonNode.class));
    assertCode(
        DocumentErrorCode.INVALID_ARGUMENT,
        items.query(within(PartitionKey.of(Map.of()), "SELECT * FROM c"), JsonNode.class));
    assertThat(of(items.deleteAll(PartitionKey.of("t1", "u1")))).isEqualTo(3);
    assertThat(of(items.deleteAll(PartitionKey.of("t1")))).isEqualTo(6);
    assertThat(all(items.list(PartitionKey.of("t1")))).isEmpty();
    assertThat(all(items.query("SELECT * FROM c"))).hasSize(18);
    StoredKeys.check(store.kv(), "tenants");
  }

  @Test
  void rejectsAPartitionKeyWithoutPaths() {
    of(index.create("plain", CollectionDefinition.DEFAULT));

    assertCode(
        DocumentErrorCode.INVALID_ARGUMENT,
        index.collection("plain", JsonNode.class).query(within(NO, "SELECT * FROM c"), Void.class));
  }

  @Test
  void findsItemsWithLongIds() {
    of(index.create("long", CollectionDefinition.DEFAULT.withPartitionKey("/country")));
    var items = index.collection("long", JsonNode.class);
    for (int i = 0; i < 6; i++) {
      of(items.create(item("i" + i + "x".repeat(100 * i), i).put("country", "c" + i % 2)));
    }
    PartitionKey first = PartitionKey.of("c0");

    assertThat(rows(items, first, "SELECT VALUE c.n FROM c"))
        .extracting(JsonNode::intValue)
        .containsExactly(0, 2, 4);
    var metrics = of(items.page(within(first, "SELECT * FROM c"), JsonNode.class)).metrics();
    assertThat(metrics.entriesRead()).isEqualTo(3);
    assertThat(metrics.retrievedItems()).isEqualTo(3);
    assertThat(all(items.list(first)))
        .extracting(item -> item.value().get("n").intValue())
        .containsExactly(0, 2, 4);
    assertThat(of(items.deleteAll(first))).isEqualTo(3);
    assertThat(all(items.query("SELECT VALUE c.n FROM c")))
        .extracting(JsonNode::intValue)
        .containsExactly(1, 3, 5);
  }

  @Test
  void deletesMoreItemsThanAPage() {
    of(index.create("gone", CollectionDefinition.DEFAULT.withPartitionKey("/country")));
    var items = index.collection("gone", JsonNode.class);
    of(
        items
            .load(Flux.range(0, 1200).map(i -> item("i" + i, i).put("country", "c" + i % 2)))
            .last());

    List<DeleteProgress> progress = all(items.deletePartition(PartitionKey.of("c1")));
    assertThat(progress.get(progress.size() - 1).deleted()).isEqualTo(600);
    assertThat(progress).extracting(DeleteProgress::deleted).isSorted();
    assertThat(progress).extracting(DeleteProgress::changed).containsOnly(0L);
    assertThat(of(items.deleteAll(PartitionKey.of("c1")))).isZero();
    assertThat(all(items.list(PartitionKey.of("c0")))).hasSize(600);
    StoredKeys.check(store.kv(), "gone");
  }

  @Test
  void deletesASmallPartitionInOneCommit() {
    CollectionDefinition unique =
        CollectionDefinition.DEFAULT
            .withPartitionKey("/country", "/city")
            .withUniqueKeys(UniqueKey.of("/n"));
    of(index.create("small", unique));
    var items = index.collection("small", JsonNode.class);
    for (String city : List.of("Oslo", "Bergen")) {
      of(items.load(Flux.range(0, 101).map(i -> at(city, i))).last());
    }
    PartitionKey oslo = PartitionKey.of("no", "Oslo");
    of(items.delete("i0", oslo, WriteOptions.DEFAULT));
    Versionstamp before = of(items.changePage(ChangeFeedOptions.ALL, 1)).continuation();

    assertThat(of(items.deleteAll(oslo))).isEqualTo(100);
    assertThat(commits(items, before)).containsExactly(100);
    assertThat(of(items.deleteAll(oslo))).isZero();
    assertThat(all(items.list(oslo))).isEmpty();
    assertThat(all(items.list(PartitionKey.of("no", "Bergen")))).hasSize(101);
    of(items.load(Flux.range(0, 101).map(i -> at("Oslo", i))).last()); // its unique values are free
    StoredKeys.check(store.kv(), "small");

    before = of(items.changePage(ChangeFeedOptions.ALL, 1)).continuation();
    assertThat(of(items.deleteAll(oslo))).isEqualTo(101);
    assertThat(commits(items, before)).hasSize(101).containsOnly(1); // too many for one commit
    of(items.create(at("Oslo", 1)));
    before = of(items.changePage(ChangeFeedOptions.ALL, 1)).continuation();
    assertThat(of(items.deleteAll(PartitionKey.of("no")))).isEqualTo(102); // several partitions
    assertThat(commits(items, before)).hasSize(102);
  }

  @Test
  void deletesASmallPartitionOfLargeItems() {
    of(index.create("heavy", CollectionDefinition.DEFAULT.withPartitionKey("/country")));
    var items = index.collection("heavy", JsonNode.class);
    String text = "x".repeat(1_900_000);
    for (int i = 0; i < 10; i++) {
      of(items.create(item("i" + i, i).put("country", "no").put("text", text)));
    }
    Versionstamp before = of(items.changePage(ChangeFeedOptions.ALL, 1)).continuation();

    assertThat(of(items.deleteAll(PartitionKey.of("no")))).isEqualTo(10);
    assertThat(commits(items, before)).hasSizeGreaterThan(1); // more than 16 MiB
    assertThat(all(items.list(PartitionKey.of("no")))).isEmpty();
  }

  @Test
  void deletesASmallPartitionThatOthersDeleteToo() {
    of(index.create("both", CollectionDefinition.DEFAULT.withPartitionKey("/country")));
    var items = index.collection("both", JsonNode.class);
    of(items.load(Flux.range(0, 90).map(i -> item("i" + i, i).put("country", "no"))).last());
    PartitionKey key = PartitionKey.of("no");

    Mono<Long> others =
        Flux.range(0, 90).flatMap(i -> items.delete("i" + i, key, WriteOptions.DEFAULT), 4).count();
    long deleted =
        of(Mono.zip(items.deleteAll(key), others).map(both -> both.getT1() + both.getT2()));
    assertThat(deleted).isEqualTo(90);
    assertThat(all(items.list(key))).isEmpty();
    StoredKeys.check(store.kv(), "both");
  }

  private static ObjectNode at(String city, int n) {
    return item("i" + n, n).put("country", "no").put("city", city);
  }

  /** Returns the numbers of changes of the commits after a position. */
  private static List<Integer> commits(DocumentCollection<JsonNode> items, Versionstamp since) {
    return of(items.changePage(ChangeFeedOptions.ALL.withSince(since), 1000)).commits().stream()
        .map(commit -> commit.changes().size())
        .toList();
  }
}
