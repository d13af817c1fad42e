package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.internal.value.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Compares external sample queries over stored items, with several policies, to an evaluation in
 * memory. The samples are not part of the project.
 */
class SampleCasesTest {
  private static final String FILE = "shared/spec/query-cases.json";

  private static final List<IndexingPolicy> POLICIES =
      List.of(
          IndexingPolicy.DEFAULT,
          IndexingPolicy.excludeRoot(),
          IndexingPolicy.DEFAULT.withComposite(
              CompositePath.ascending("/name"), CompositePath.ascending("/age")),
          IndexingPolicy.none());

  @Test
  void agreesWithAScanUnderEveryPolicy() throws IOException {
    Path file = find();
    Assumptions.assumeTrue(file != null, FILE + " is not there");
    JsonNode all = new ObjectMapper().readTree(file.toFile());
    Map<JsonNode, QueryStore> stores = new LinkedHashMap<>();
    SoftAssertions checks = new SoftAssertions();
    int answered = 0;
    for (IndexingPolicy policy : POLICIES) {
      for (JsonNode one : all.get("cases")) {
        JsonNode docs = one.get("docs");
        JsonNode fixture =
            docs.isTextual() ? all.get("fixtures").get(docs.textValue().substring(1)) : docs;
        QueryStore store = stores.computeIfAbsent(fixture, documents -> store(policy, documents));
        answered += check(checks, store, one.get("query").asText()) ? 1 : 0;
      }
      stores.values().forEach(QueryStore::close);
      stores.clear();
    }
    checks.assertAll();
    assertThat(answered).isGreaterThan(200);
  }

  /** Returns true if the query returned rows. */
  private static boolean check(SoftAssertions checks, QueryStore store, String sql) {
    if (sql.contains("GetCurrent") || sql.contains("RAND(") || sql.contains("DOCUMENTID")) {
      return false; // not deterministic
    }
    try {
      List<JsonNode> rows = store.rows(sql, QueryOptions.DEFAULT);
      DifferentialTest.assertSameRows(checks, sql, sql, rows, store.stored());
      return true;
    } catch (DocumentException e) {
      checks
          .assertThat(e.code())
          .as(sql)
          .isIn(
              DocumentErrorCode.ORDER_NOT_INDEXED,
              DocumentErrorCode.INVALID_QUERY,
              DocumentErrorCode.LIMIT_EXCEEDED);
      return false;
    }
  }

  private static QueryStore store(IndexingPolicy policy, JsonNode documents) {
    QueryStore store = new QueryStore(policy);
    int number = 0;
    for (JsonNode document : documents) {
      ObjectNode item = (ObjectNode) Json.parse(document.toString());
      if (!item.path("id").isTextual()) {
        item.put("id", "generated-" + number);
      }
      number++;
      store.fill(List.of(item));
    }
    return store;
  }

  private static @Nullable Path find() {
    Path at = Path.of(System.getProperty("user.dir")).toAbsolutePath();
    while (at != null && !Files.isRegularFile(at.resolve(FILE))) {
      at = at.getParent();
    }
    return at == null ? null : at.resolve(FILE);
  }
}
