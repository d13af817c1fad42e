package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.internal.worker.Workers;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Checks that operations yielding at every clock read return the same results as without yields.
 */
class YieldingQueriesTest {
  private static final int AT_A_TIME = 8;

  private record Answer(String sql, List<JsonNode> rows) {}

  @Test
  void returnsTheRowsOfAScanWhileYielding() {
    IndexingPolicy policy =
        IndexingPolicy.DEFAULT
            .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/b"))
            .withIncluded("/kids/[]/{name, age}/?", "/a/?", "/f/?");
    Workers threads = new Workers(DocumentThreads.Limits.NONE, 0);
    try (threads;
        QueryStore store =
            new QueryStore(
                CollectionDefinition.DEFAULT.withIndexingPolicy(policy),
                DocumentStoreOptions.DEFAULT.withThreads(threads))) {
      store.fill(new SampleDocuments(7).make(0, 100));
      List<JsonNode> stored = store.stored();
      List<String> queries = DifferentialTest.queries(0);
      List<Answer> answers =
          Flux.fromIterable(queries)
              .flatMap(
                  sql ->
                      Flux.fromIterable(DifferentialTest.options())
                          .flatMap(
                              options ->
                                  store
                                      .items
                                      .query(
                                          SqlQuery.of(sql)
                                              .withOptions(
                                                  options.withCaller("c" + sql.length() % 3)),
                                          JsonNode.class)
                                      .collectList()
                                      .map(rows -> new Answer(sql, rows))
                                      .onErrorResume(
                                          DocumentException.class,
                                          YieldingQueriesTest::notIndexed)),
                  AT_A_TIME)
              .collectList()
              .block(QueryStore.PATIENCE);
      SoftAssertions all = new SoftAssertions();
      for (Answer answer : Objects.requireNonNull(answers)) {
        DifferentialTest.assertSameRows(all, answer.sql(), answer.sql(), answer.rows(), stored);
      }
      all.assertAll();
      assertThat(answers).hasSizeGreaterThan(queries.size());
    }
  }

  private static Mono<Answer> notIndexed(DocumentException e) {
    return e.code() == DocumentErrorCode.ORDER_NOT_INDEXED ? Mono.empty() : Mono.error(e);
  }

  @Test
  void returnsCorrectValuesWhileYieldingWithinFunctions() {
    Workers threads = new Workers(DocumentThreads.Limits.NONE, 0);
    try (threads;
        QueryStore store =
            new QueryStore(
                CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.none()),
                DocumentStoreOptions.DEFAULT.withThreads(threads))) {
      ObjectNode item = (ObjectNode) Json.parse("{\"id\":\"1\"}");
      item.put("text", "ab".repeat(100_000) + "needle" + "ab".repeat(1_000));
      item.set("numbers", numbers(30_001));
      store.fill(List.of(item));
      Flux.fromIterable(
              List.of(
                  "INDEX_OF(c.text, 'needle') = 200000",
                  "INDEX_OF(c.text, 'needleababababababab') = 200000",
                  "LASTINDEXOF(c.text, 'dlea') = 200003",
                  "LASTINDEXOF(c.text, 'needle') = 200000",
                  "CONTAINS(c.text, 'bneedlea') AND NOT CONTAINS(c.text, 'bb')",
                  "CONTAINS(c.text, 'NEEDLE', true)",
                  "c.text LIKE '%b_eed[j-m]e%' AND NOT (c.text LIKE '%n_[z]%')",
                  "REGEXMATCH(c.text, 'ne+dle(ab){20}') AND NOT REGEXMATCH(c.text, 'aa')",
                  "LENGTH(REPLACE(c.text, 'ab', 'c')) = 101006",
                  "ARRAY_LENGTH(STRINGSPLIT(c.text, 'a')) = 101001",
                  "UPPER(LOWER(c.text)) = UPPER(c.text)",
                  "ARRAY_MEDIAN(c.numbers) = 15000",
                  "ARRAY_MEDIAN(ARRAY_CONCAT(c.numbers, [1e9])) = 15000.5",
                  "ARRAY_SUM(c.numbers) = 450015000 AND ARRAY_MAX(c.numbers) = 30000",
                  "ARRAY_LENGTH(SETUNION(c.numbers, [0, -1])) = 30002",
                  "ARRAY_LENGTH(ARRAY_SLICE(c.numbers, 1)) = 30000",
                  "ARRAY_CONTAINS(c.numbers, 29999)",
                  "(SELECT VALUE COUNT(1) FROM x IN c.numbers WHERE x % 2 = 0) = 15001",
                  "STRINGTOARRAY(TOSTRING(c.numbers)) = c.numbers"))
          .flatMap(
              condition ->
                  store
                      .items
                      .query(SqlQuery.of("SELECT VALUE " + condition + " FROM c"), JsonNode.class)
                      .collectList()
                      .doOnNext(
                          rows -> assertThat(rows).as(condition).containsExactly(Values.TRUE)),
              AT_A_TIME)
          .blockLast(QueryStore.PATIENCE);
    }
  }

  private static JsonNode numbers(int count) {
    return Json.parse(
        IntStream.range(0, count)
            .mapToObj(i -> "" + (i * 7_919L) % count)
            .collect(Collectors.joining(",", "[", "]")));
  }

  @Test
  void writesAllEntriesOfItemsWhileYielding() {
    Workers threads = new Workers(DocumentThreads.Limits.NONE, 0);
    try (threads;
        QueryStore store =
            new QueryStore(
                CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT.withThreads(threads))) {
      Flux.range(0, AT_A_TIME)
          .flatMap(i -> store.items.create(large(i), WriteOptions.DEFAULT))
          .flatMap(
              made ->
                  store.items.patch(
                      made.id(),
                      PartitionKey.NONE,
                      List.of(new PatchOperation.Add("/list/0", "first" + made.id())),
                      WriteOptions.DEFAULT))
          .blockLast(QueryStore.PATIENCE);
      for (int i = 0; i < AT_A_TIME; i++) {
        for (String value : List.of("\"first" + i + "\"", "" + (i * 10_000 + 4_999))) {
          assertThat(
                  store.rows(
                      SqlQuery.of(
                          "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.list, " + value + ")")))
              .as(value)
              .containsExactly(Values.text("" + i));
        }
      }
      assertThat(store.rows(SqlQuery.of("SELECT VALUE COUNT(1) FROM c JOIN x IN c.list")))
          .containsExactly(Values.number(AT_A_TIME * 5_001));
    }
  }

  private static ObjectNode large(int number) {
    ObjectNode item = (ObjectNode) Json.parse("{\"id\":\"" + number + "\"}");
    item.set(
        "list",
        Json.parse(
            IntStream.range(0, 5_000)
                .mapToObj(i -> "" + (number * 10_000 + i))
                .collect(Collectors.joining(",", "[", "]"))));
    return item;
  }
}
