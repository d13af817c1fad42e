package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Tests of pages, demand and memory limits of queries. */
class PagesTest {
  private final QueryStore store =
      new QueryStore(
          IndexingPolicy.DEFAULT.withComposite(
              CompositePath.ascending("/a"), CompositePath.ascending("/b")));

  private final AtomicInteger ids = new AtomicInteger();

  @AfterEach
  void close() {
    store.close();
  }

  private static SqlQuery query(String sql, int rows) {
    return SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withMaxItemCount(rows));
  }

  private static ObjectNode item(String id, int f) {
    return (ObjectNode) Json.parse("{\"id\":\"" + id + "\",\"f\":" + f + ",\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE c.id FROM c",
        "SELECT VALUE c.id FROM c WHERE c.f > -2",
        "SELECT VALUE c.id FROM c WHERE c.a = 3",
        "SELECT VALUE c.id FROM c WHERE c.a = 3 OR c.f > 2",
        "SELECT VALUE c.id FROM c WHERE c.f > -5 ORDER BY c.f",
        "SELECT VALUE c.id FROM c ORDER BY c.f DESC",
        "SELECT VALUE c.id FROM c ORDER BY c.s",
        "SELECT VALUE c.id FROM c WHERE c.a = 3 ORDER BY c.f",
        "SELECT VALUE c.id FROM c ORDER BY c.a, c.b"
      })
  void returnsUnchangedItemsOnceDespiteWritesBetweenPages(String sql) {
    store.fill(new SampleDocuments(7).make(0, 80));
    List<JsonNode> before = store.rows(sql, QueryOptions.DEFAULT);
    AtomicInteger written = new AtomicInteger(1000);
    List<JsonNode> rows =
        store.pages(
            query(sql, 9),
            () -> {
              store.fill(new SampleDocuments(written.get()).make(written.get(), written.get() + 3));
              written.addAndGet(3);
              if (written.get() == 1006) {
                store.items.delete("5").block(QueryStore.PATIENCE);
              }
            });
    List<String> ids = rows.stream().map(JsonNode::asText).toList();
    assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
    List<String> stayed = new ArrayList<>(before.stream().map(JsonNode::asText).toList());
    stayed.remove("5");
    assertThat(ids).containsAll(stayed);
  }

  @Test
  void continuesOffsetAndLimitAcrossPages() {
    store.fill(new SampleDocuments(8).make(0, 50));
    List<JsonNode> all = store.rows("SELECT VALUE c.id FROM c", QueryOptions.DEFAULT);
    assertThat(store.pages(query("SELECT VALUE c.id FROM c OFFSET 11 LIMIT 20", 6), () -> {}))
        .isEqualTo(all.subList(11, 31));
    assertThat(store.pages(query("SELECT TOP 20 VALUE c.id FROM c", 20), () -> {})).hasSize(20);
  }

  @Test
  void splitsRowsOfOneItemOverPages() {
    store.fill(
        List.of(Json.parse("{\"id\":\"1\",\"x\":[1,2,3,4,5]}"), item("2", 1)).stream()
            .map(ObjectNode.class::cast)
            .toList());
    List<JsonNode> rows =
        store.pages(query("SELECT VALUE v FROM c JOIN v IN c.x WHERE v != 3", 2), () -> {});
    assertThat(rows).hasToString("[1, 2, 4, 5]");
  }

  @Test
  void reportsTheCostOfAPage() {
    store.fill(new SampleDocuments(9).make(0, 50));
    QueryPage<JsonNode> page = store.page(query("SELECT * FROM c WHERE c.id = \"7\"", 10));
    assertThat(page.items()).hasSize(1);
    assertThat(page.continuation()).isNull();
    assertThat(page.metrics().entriesRead()).isEqualTo(1);
    assertThat(page.metrics().retrievedItems()).isEqualTo(1);
    assertThat(page.metrics().outputItems()).isEqualTo(1);
    assertThat(
            store
                .page(query("SELECT VALUE COUNT(1) FROM c WHERE c.f > 2", 10))
                .metrics()
                .retrievedItems())
        .isZero();
  }

  private void assertRejected(SqlQuery query, String continuation, String why) {
    assertThatThrownBy(
            () -> store.page(query.withOptions(query.options().withContinuation(continuation))))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_CONTINUATION))
        .hasMessageContaining(why);
  }

  @Test
  void rejectsForeignAndMalformedContinuations() {
    store.fill(new SampleDocuments(10).make(0, 30));
    SqlQuery query = query("SELECT * FROM c WHERE c.f > 0", 3);
    String token = Objects.requireNonNull(store.page(query).continuation());
    assertRejected(query("SELECT * FROM c WHERE c.f > 1", 3), token, "another query");
    assertRejected(query, "nonsense", "is malformed");
  }

  @Test
  void detectsEveryChangeOfAContinuation() {
    store.fill(new SampleDocuments(10).make(0, 30));
    SqlQuery query = query("SELECT * FROM c WHERE c.f > 0", 3);
    String token = Objects.requireNonNull(store.page(query).continuation());
    for (int i = 0; i < token.length(); i += 7) {
      char other = token.charAt(i) == 'A' ? 'B' : 'A';
      assertRejected(query, token.substring(0, i) + other + token.substring(i + 1), "");
    }
    assertRejected(query, token.substring(0, token.length() / 2), "is malformed");
  }

  @Test
  void rejectsAContinuationOfARemovedIndex() {
    store.fill(new SampleDocuments(11).make(0, 30));
    SqlQuery query = query("SELECT * FROM c WHERE c.f > 0", 3);
    String token = Objects.requireNonNull(store.page(query).continuation());
    store
        .items
        .replaceDefinition(
            CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.includeRoot("/f/?")))
        .blockLast(QueryStore.PATIENCE);
    assertRejected(query, token, "range:/f/?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT c.f, COUNT(1) AS n FROM c GROUP BY c.f",
        "SELECT DISTINCT VALUE c.f FROM c",
        "SELECT DISTINCT VALUE c.id FROM c"
      })
  void returnsCombinedRowsPageByPage(String sql) {
    store.fill(new SampleDocuments(12).make(0, 30));
    List<JsonNode> all = store.rows(sql, QueryOptions.DEFAULT);
    assertThat(all).hasSizeGreaterThan(3).doesNotHaveDuplicates();
    assertThat(store.pages(query(sql, 2), () -> {})).isEqualTo(all);
    QueryOptions bytes = QueryOptions.DEFAULT.withMaxPageBytes(50);
    assertThat(store.page(SqlQuery.of(sql).withOptions(bytes)).items()).hasSizeLessThan(all.size());
    assertThat(store.pages(SqlQuery.of(sql).withOptions(bytes), () -> {})).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT DISTINCT VALUE c.f FROM c ORDER BY c.f",
        "SELECT DISTINCT VALUE c.a FROM c ORDER BY c.a DESC",
        "SELECT DISTINCT c.s FROM c ORDER BY c.s",
        "SELECT DISTINCT c.b, c.a FROM c ORDER BY c.a, c.b",
        "SELECT DISTINCT VALUE c.f FROM c WHERE c.a = 3 ORDER BY c.f",
        "SELECT DISTINCT VALUE k.age FROM c JOIN k IN c.kids ORDER BY k.age",
        "SELECT DISTINCT VALUE c.f FROM c ORDER BY c.f OFFSET 2 LIMIT 7",
        "SELECT DISTINCT TOP 5 c.f FROM c ORDER BY c.f DESC"
      })
  void returnsOrderedDistinctRowsPageByPage(String sql) {
    store.fill(new SampleDocuments(15).make(0, 120));
    List<JsonNode> all = store.rows(sql, QueryOptions.DEFAULT);
    assertThat(all).hasSizeGreaterThan(3).doesNotHaveDuplicates();
    for (int rows : List.of(1, 2, 4)) {
      assertThat(store.pages(query(sql, rows), () -> {})).as(sql).isEqualTo(all);
    }
  }

  @Test
  void doesNotRepeatDistinctRowsOnLaterPages() {
    store.fill(List.of(item("1", 5), item("2", 6)));
    SqlQuery query = query("SELECT DISTINCT VALUE c.f FROM c ORDER BY c.f", 1);
    List<JsonNode> rows =
        store.pages(query, () -> store.fill(List.of(item(nextId(), 5), item(nextId(), 7))));
    assertThat(rows).hasToString("[5, 6, 7]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT DISTINCT VALUE c.a FROM c ORDER BY c.f",
        "SELECT DISTINCT c.a, c.f FROM c ORDER BY c.f",
        "SELECT DISTINCT VALUE LOWER(c.s) FROM c ORDER BY c.s",
        "SELECT DISTINCT c.a AS x, c.b AS x FROM c ORDER BY c.a, c.b"
      })
  void returnsDistinctRowsInAnotherOrderPageByPage(String sql) {
    store.fill(new SampleDocuments(15).make(0, 60));
    QueryPage<JsonNode> whole = store.page(query(sql, 1000));
    assertThat(whole.continuation()).isNull();
    assertThat(store.pages(query(sql, 2), () -> {})).isEqualTo(whole.items());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT c.id FROM c ORDER BY c.a",
        "SELECT c.id FROM c WHERE IS_ARRAY(c.a) ORDER BY c.a DESC",
        "SELECT c.id FROM c ORDER BY c.a, c.b",
        "SELECT DISTINCT c.a FROM c ORDER BY c.a"
      })
  void continuesAfterTheDeepestValue(String sql) {
    for (int i = 0; i < 4; i++) {
      String deep = "[".repeat(Json.MAX_DEPTH - 1) + i + "]".repeat(Json.MAX_DEPTH - 1);
      store.fill(List.of((ObjectNode) Json.parse("{\"id\":\"" + i + "\",\"a\":" + deep + "}")));
    }
    for (QueryOptions options : DifferentialTest.options()) {
      SqlQuery one = SqlQuery.of(sql).withOptions(options.withMaxItemCount(1));
      assertThat(store.pages(one, () -> {})).as(sql).isEqualTo(store.rows(sql, options));
    }
  }

  private String nextId() {
    return "next-" + ids.incrementAndGet();
  }

  private static ObjectNode large(String id, int characters) {
    return (ObjectNode)
        Json.parse("{\"id\":\"%s\",\"a\":1,\"t\":\"%s\"}".formatted(id, "x".repeat(characters)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM c",
        "SELECT * FROM c WHERE c.a = 1",
        "SELECT * FROM c WHERE c.a > 0",
        "SELECT * FROM c ORDER BY c.id DESC",
        "SELECT * FROM c ORDER BY c.a, c.b"
      })
  void limitsPagesByBytes(String sql) {
    for (int i = 10; i < 30; i++) {
      store.fill(List.of(large("" + i, 400_000)));
    }
    SqlQuery query = SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withMaxPageBytes(1_000_000));
    QueryPage<JsonNode> page = store.page(query);
    assertThat(page.items()).hasSize(2);
    assertThat(page.continuation()).isNotNull();
    if (!sql.contains("ORDER BY c.id")) {
      assertThat(page.metrics().retrievedItems()).isLessThan(15); // not a batch of all
    }
    List<JsonNode> rows = store.pages(query, () -> {});
    assertThat(rows.stream().map(row -> row.get("id").asText()).distinct()).hasSize(20);
    assertThat(rows).hasSize(20);
    // at least one row
    SqlQuery tiny = query.withOptions(QueryOptions.DEFAULT.withMaxPageBytes(1));
    assertThat(store.page(tiny).items()).hasSize(1);
    assertThat(store.pages(tiny, () -> {})).hasSize(20);
    // a page of default size fits ten of these rows
    assertThat(store.page(SqlQuery.of(sql)).items()).hasSize(10);
  }

  @Test
  void countsTheMemoryOfGroups() {
    for (int i = 10; i < 22; i++) {
      store.fill(List.of(large("" + i, 100_000 + i)));
    }
    QueryOptions little = QueryOptions.DEFAULT.withMemoryBytes(600_000).withForceScan(true);
    for (String sql :
        List.of(
            "SELECT c.id, MAX(c.t) AS t FROM c GROUP BY c.id",
            "SELECT c.t, COUNT(1) AS n FROM c GROUP BY c.t",
            "SELECT DISTINCT c.t FROM c")) {
      assertThatThrownBy(() -> store.rows(sql, little))
          .as(sql)
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
    // holds one value at a time
    assertThat(store.rows("SELECT VALUE LENGTH(MAX(c.t)) FROM c", little)).hasSize(1);
    assertThat(store.rows("SELECT VALUE COUNT(c.t) FROM c GROUP BY c.a", little)).hasSize(1);
  }

  @Test
  void emitsRowsOnDemand() {
    store.fill(new SampleDocuments(13).make(0, 300));
    StepVerifier.create(store.items.query(SqlQuery.of("SELECT VALUE c.id FROM c"), String.class), 0)
        .thenRequest(3)
        .expectNext("0", "1", "2")
        .thenRequest(1)
        .expectNext("3")
        .thenCancel()
        .verify(QueryStore.PATIENCE);
  }

  @Test
  void failsWithAdviceWhenMemoryIsExceeded() {
    store.fill(new SampleDocuments(14).make(0, 200));
    QueryOptions little = QueryOptions.DEFAULT.withMemoryBytes(2000).withForceScan(true);
    for (String sql :
        List.of(
            "SELECT * FROM c ORDER BY c.f",
            "SELECT DISTINCT VALUE c.id FROM c",
            "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id")) {
      assertThatThrownBy(() -> store.rows(sql, little))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED))
          .hasMessageContaining("memoryBytes");
    }
    assertThat(store.rows("SELECT TOP 2 VALUE c.id FROM c ORDER BY c.f", little)).hasSize(2);
  }
}
