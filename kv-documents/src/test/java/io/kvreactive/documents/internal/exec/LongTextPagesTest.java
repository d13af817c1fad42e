package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of pages in an order that keys do not contain: truncated texts and arrays. */
class LongTextPagesTest {
  private final QueryStore store =
      new QueryStore(
          IndexingPolicy.DEFAULT.withComposite(
              CompositePath.ascending("/g"), CompositePath.descending("/s")));

  @AfterEach
  void close() {
    store.close();
  }

  /** Returns an item with a text that differs from others only after 2000 characters. */
  private static ObjectNode text(String id, String end) {
    String start = "t".repeat(2000);
    return (ObjectNode)
        Json.parse("{\"id\":\"%s\",\"g\":1,\"s\":\"%s%s\"}".formatted(id, start, end));
  }

  private static ObjectNode array(String id, int value) {
    return (ObjectNode) Json.parse("{\"id\":\"%s\",\"g\":1,\"s\":[%d]}".formatted(id, value));
  }

  private static ObjectNode item(String id, String json) {
    return (ObjectNode) Json.parse("{\"id\":\"%s\",\"g\":1,\"s\":%s}".formatted(id, json));
  }

  private void write(ObjectNode document) {
    store.items.upsert(document, WriteOptions.DEFAULT).block(QueryStore.PATIENCE);
  }

  private void delete(String id) {
    store.items.delete(id).block(QueryStore.PATIENCE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE c.id FROM c ORDER BY c.s",
        "SELECT VALUE c.id FROM c WHERE c.g < 9 ORDER BY c.s",
        "SELECT VALUE c.id FROM c ORDER BY c.g DESC, c.s"
      })
  void neitherMovesNorRepeatsRowsOnWritesBetweenPages(String sql) {
    for (int i = 10; i < 30; i += 2) {
      store.fill(List.of(text("t" + i, "" + i)));
    }
    List<String> ids = new ArrayList<>();
    SqlQuery query = SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withMaxItemCount(3));
    QueryPage<JsonNode> page = store.page(query);
    page.items().forEach(row -> ids.add(row.asText()));
    assertThat(ids).containsExactly("t10", "t12", "t14");
    // deletes the last and the first row and adds rows before and after the last one
    delete("t14");
    delete("t10");
    write(text("t11", "11"));
    write(text("t13", "13"));
    write(text("t15", "15"));
    write(item("short", "\"a\""));
    write(text("t26", "26x"));
    page = store.page(query.withOptions(query.options().withContinuation(page.continuation())));
    page.items().forEach(row -> ids.add(row.asText()));
    assertThat(ids.subList(3, 6)).containsExactly("t15", "t16", "t18");
    write(text("t17", "17"));
    delete("t16");
    delete("t18");
    while (page.continuation() != null) {
      page = store.page(query.withOptions(query.options().withContinuation(page.continuation())));
      page.items().forEach(row -> ids.add(row.asText()));
    }
    assertThat(ids)
        .containsExactly(
            "t10", "t12", "t14", "t15", "t16", "t18", "t20", "t22", "t24", "t26", "t28");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void continuesAfterTheLastArray(boolean explicit) {
    // without entries for arrays, the query sorts arrays by their content
    try (QueryStore scalars =
        new QueryStore(explicit ? IndexingPolicy.excludeRoot("/s/?") : IndexingPolicy.DEFAULT)) {
      List<ObjectNode> documents = new ArrayList<>();
      for (int i = 10; i < 26; i++) {
        documents.add(array("a" + i, i));
      }
      documents.add(item("x", "5"));
      scalars.fill(documents);
      SqlQuery query =
          SqlQuery.of("SELECT VALUE c.id FROM c ORDER BY c.s")
              .withOptions(QueryOptions.DEFAULT.withMaxItemCount(4));
      List<String> before = new ArrayList<>();
      scalars.pages(query, () -> {}).forEach(row -> before.add(row.asText()));
      assertThat(before).hasSize(17).startsWith("x");
      List<String> rows = new ArrayList<>();
      QueryPage<JsonNode> page = scalars.page(query);
      page.items().forEach(row -> rows.add(row.asText()));
      for (String gone : rows) {
        scalars.items.delete(gone).block(QueryStore.PATIENCE);
      }
      while (page.continuation() != null) {
        page =
            scalars.page(query.withOptions(query.options().withContinuation(page.continuation())));
        page.items().forEach(row -> rows.add(row.asText()));
      }
      assertThat(rows).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ORDER BY c.s", "ORDER BY c.s DESC", "ORDER BY c.g, c.s DESC"})
  void continuesAfterTextsLongerThanUsualContinuations(String order) {
    String start = "u".repeat(900_000);
    for (int i = 0; i < 4; i++) {
      write(item("u" + i, "\"" + start + i + "\""));
    }
    List<String> ids = new ArrayList<>();
    store
        .pages(
            SqlQuery.of("SELECT VALUE c.id FROM c " + order)
                .withOptions(QueryOptions.DEFAULT.withMaxItemCount(1)),
            () -> {})
        .forEach(row -> ids.add(row.asText()));
    assertThat(ids).containsExactlyInAnyOrder("u0", "u1", "u2", "u3");
    assertThat(ids)
        .isSortedAccordingTo(
            order.endsWith("DESC")
                ? java.util.Comparator.reverseOrder()
                : java.util.Comparator.naturalOrder());
  }
}
