package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that arrays and objects have the same order with every access path. */
class ContainerOrderTest {
  private static final IndexingPolicy DEFAULT =
      IndexingPolicy.DEFAULT
          .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/g"))
          .withComposite(CompositePath.ascending("/g"), CompositePath.descending("/a"))
          .withComposite(CompositePath.ascending("/long"), CompositePath.ascending("/a"));

  /** A policy without entries for arrays and objects, which are then sorted after the scalars. */
  private static final IndexingPolicy SCALARS = IndexingPolicy.excludeRoot("/a/?");

  private static List<ObjectNode> documents() {
    List<ObjectNode> documents = new ArrayList<>();
    for (int i = 1; i <= 12; i++) {
      for (String a : List.of("[%d]", "{\"k\":%d}", "[[%d],{\"x\":-0.0}]", "%d")) {
        documents.add(
            (ObjectNode)
                Json.parse(
                    "{\"g\":1,\"xs\":[1],\"long\":\"%s\",\"a\":%s}"
                        .formatted("t".repeat(2000), a.formatted(i))));
      }
    }
    Collections.reverse(documents);
    for (int i = 0; i < documents.size(); i++) {
      documents.get(i).put("id", "" + i);
    }
    return documents;
  }

  private static QueryStore store(IndexingPolicy policy) {
    QueryStore store = new QueryStore(policy);
    store.fill(documents());
    return store;
  }

  private static List<String> texts(List<JsonNode> rows) {
    return rows.stream().map(Json::writeText).toList();
  }

  /** Returns the order of the range index of a path. */
  private static List<String> byIndex() {
    try (QueryStore store = store(IndexingPolicy.DEFAULT)) {
      return texts(store.rows("SELECT VALUE c.a FROM c ORDER BY c.a", QueryOptions.DEFAULT));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SELECT VALUE c.a FROM c ORDER BY c.a; false",
        "SELECT VALUE c.a FROM c ORDER BY c.a DESC; true",
        "SELECT VALUE c.a FROM c WHERE c.g = 1 ORDER BY c.a; false",
        "SELECT VALUE c.a FROM c WHERE c.id >= '' ORDER BY c.a DESC; true",
        "SELECT VALUE c.a FROM c ORDER BY c.a, c.g; false",
        "SELECT VALUE c.a FROM c ORDER BY c.a DESC, c.g DESC; true",
        "SELECT VALUE c.a FROM c ORDER BY c.g, c.a DESC; true",
        "SELECT VALUE c.a FROM c ORDER BY c.g DESC, c.a; false",
        "SELECT VALUE c.a FROM c ORDER BY c.long, c.a; false",
        "SELECT VALUE c.a FROM c ORDER BY c.long DESC, c.a DESC; true",
        "SELECT DISTINCT VALUE c.a FROM c ORDER BY c.a; false",
        "SELECT VALUE c.a FROM c JOIN x IN c.xs ORDER BY c.a; false",
        "SELECT VALUE r.a FROM (SELECT c.a FROM c) AS r ORDER BY r.a; false"
      })
  void ordersContainersTheSameWithEveryPlan(String sql, boolean descending) {
    List<String> expected = new ArrayList<>(byIndex());
    if (descending) {
      Collections.reverse(expected);
    }
    try (QueryStore store = store(DEFAULT)) {
      for (QueryOptions options :
          List.of(QueryOptions.DEFAULT, QueryOptions.DEFAULT.withForceScan(true))) {
        assertThat(texts(store.rows(sql, options))).as("%s", options).isEqualTo(expected);
        SqlQuery paged = SqlQuery.of(sql).withOptions(options.withMaxItemCount(5));
        assertThat(texts(store.pages(paged, () -> {})))
            .as("pages, %s", options)
            .isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ordersContainersTheSameWithAnIndexOfScalars(boolean descending) {
    List<String> expected = new ArrayList<>(byIndex());
    if (descending) {
      Collections.reverse(expected);
    }
    String sql = "SELECT VALUE c.a FROM c ORDER BY c.a" + (descending ? " DESC" : "");
    try (QueryStore store = store(SCALARS)) {
      assertThat(texts(store.rows(sql, QueryOptions.DEFAULT))).isEqualTo(expected);
      SqlQuery paged = SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withMaxItemCount(5));
      assertThat(texts(store.pages(paged, () -> {}))).isEqualTo(expected);
    }
  }
}
