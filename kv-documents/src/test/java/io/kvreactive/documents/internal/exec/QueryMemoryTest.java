package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.testkit.TestStore;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Tests of the memory that all queries hold together. */
class QueryMemoryTest {
  private static final int ITEMS = 1_000;
  private static final int TEXT = 4_000;
  private static final long MAX_BYTES = 20L * 1_000 * 1_000; // 5 times the items
  private static final int MAX_TIMES = 6;

  private final DocumentThreads threads =
      DocumentThreads.create(DocumentThreads.Limits.NONE.withMaxQueryMemory(MAX_BYTES));
  private final QueryStore store =
      new QueryStore(
          CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT.withThreads(threads));

  QueryMemoryTest() {
    store.fill(IntStream.range(0, ITEMS).mapToObj(QueryMemoryTest::item).toList());
  }

  @AfterEach
  void end() {
    store.close();
    threads.close();
  }

  private static ObjectNode item(int i) {
    ObjectNode item =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", "i" + i)
            .put("s", Integer.toString(i % 10).repeat(TEXT));
    for (int times = 1; times <= MAX_TIMES; times++) {
      Collections.nCopies(times, 1).forEach(item.withArray("t" + times)::add);
    }
    return item;
  }

  /** Returns a query that sorts all texts a number of times, each time about 4 MB. */
  private static SqlQuery sorted(int times, String caller) {
    QueryOptions options = QueryOptions.DEFAULT.withMemoryBytes(Long.MAX_VALUE);
    return SqlQuery.of("SELECT VALUE [c.s] FROM c JOIN x IN c.t" + times + " ORDER BY x")
        .withOptions(caller == null ? options : options.withCaller(caller));
  }

  private static void assertExceeded(Runnable query, String text) {
    assertThatThrownBy(query::run)
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED);
              assertThat(e.detail()).contains(text);
            });
  }

  @Test
  void allowsOneCallerHalfOfIt() {
    assertExceeded(() -> store.rows(sorted(3, "ada")), "one caller");
    assertThat(store.rows(sorted(3, null))).hasSize(3 * ITEMS);
    assertExceeded(() -> store.rows(sorted(6, null)), "All queries together");
    assertThat(threads.queryMemoryBytes()).isZero();
  }

  @Test
  void isSharedByQueriesThatRun() {
    StepVerifier.create(store.items.query(sorted(2, "ada"), JsonNode.class), 1)
        .expectNextCount(1)
        .then(
            () -> {
              assertThat(threads.queryMemoryBytes()).isBetween(2L * ITEMS * TEXT, MAX_BYTES / 2);
              assertExceeded(() -> store.rows(sorted(1, "ada")), "one caller");
              assertThat(store.rows(SqlQuery.of("SELECT TOP 3 VALUE c.id FROM c ORDER BY c._ts")))
                  .hasSize(3); // holds little
              assertThat(store.rows(sorted(2, "grace"))).hasSize(2 * ITEMS);
              assertExceeded(() -> store.rows(sorted(3, null)), "All queries together");
            })
        .thenCancel()
        .verify();
    TestStore.await(() -> threads.queryMemoryBytes() == 0);
    assertThat(store.rows(sorted(2, "ada"))).hasSize(2 * ITEMS);
  }

  @Test
  void makesPagesEndEarly() {
    SqlQuery all =
        SqlQuery.of("SELECT VALUE c.s FROM c")
            .withOptions(QueryOptions.DEFAULT.withMaxItemCount(ITEMS).withCaller("ada"));
    StepVerifier.create(store.items.query(sorted(2, "ada"), JsonNode.class), 1)
        .expectNextCount(1)
        .then(
            () -> {
              QueryPage<JsonNode> page = store.items.page(all, JsonNode.class).block();
              int rows = page.items().size();
              for (String next = page.continuation(); next != null; next = page.continuation()) {
                assertThat(page.items()).isNotEmpty().hasSizeLessThan(ITEMS / 3);
                SqlQuery rest = all.withOptions(all.options().withContinuation(next));
                page = store.items.page(rest, JsonNode.class).block();
                rows += page.items().size();
              }
              assertThat(rows).isEqualTo(ITEMS);
            })
        .thenCancel()
        .verify();
    TestStore.await(() -> threads.queryMemoryBytes() == 0);
    assertThat(store.items.page(all, JsonNode.class).block().items()).hasSize(ITEMS);
    TestStore.await(() -> threads.queryMemoryBytes() == 0);
  }

  @Test
  void countsDocumentIds() {
    SqlQuery query = // an item has several entries
        SqlQuery.of(
            "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.t2 WHERE x > 0)");
    assertThat(store.rows(query)).hasSize(ITEMS);
    assertExceeded(
        () -> store.rows(query.withOptions(QueryOptions.DEFAULT.withMemoryBytes(100))),
        "document ids");
  }

  @Test
  void countsLargeValuesOfOneItem() {
    String one = "REPLACE('" + "x".repeat(250) + "', 'x', c.s)"; // a million characters
    String many = String.join(",", Collections.nCopies(100, one));
    SqlQuery made = SqlQuery.of("SELECT VALUE ARRAY_LENGTH([" + many + "]) FROM c");
    assertExceeded(() -> store.rows(made), "bytes");
    SqlQuery joined =
        SqlQuery.of("SELECT VALUE ARRAY_LENGTH([" + many.replace("),", ") || 'x',") + "]) FROM c");
    assertExceeded(() -> store.rows(joined), "bytes");
    SqlQuery few = SqlQuery.of("SELECT VALUE LENGTH(" + one + ") FROM c");
    assertThat(store.rows(few)).hasSize(ITEMS); // 1 GB, one after the other
    assertThat(threads.queryMemoryBytes()).isZero();
  }
}
