package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.SqlQuery;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The cases of the specification against stored collections, with the spatial and vector indexes of
 * a server. The cases are read from a directory beside the project. Skipped if it is missing.
 */
@ExtendWith(VertxExtension.class)
class SpecificationCasesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path CASES = Path.of("..", "..", "shared", "spec");
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Kv kv;
  private static DocumentStore store;
  private static int collections;

  @BeforeAll
  static void open(Vertx vertx) {
    kv = Objects.requireNonNull(Kv.open(vertx, KvOptions.inMemory()).block(PATIENCE));
    store = DocumentStore.over(kv, DocumentStoreOptions.DEFAULT);
  }

  @AfterAll
  static void close() {
    store.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  private static JsonNode read(String file) throws IOException {
    Path path = CASES.resolve(file);
    assumeTrue(Files.isReadable(path), () -> "There is no " + path);
    return JSON.readTree(path.toFile());
  }

  // ---- queries

  @TestFactory
  List<DynamicTest> queries() throws IOException {
    JsonNode all = read("query-cases.json");
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode row : all.get("cases")) {
      JsonNode docs = row.get("docs");
      JsonNode items =
          docs.isTextual() ? all.get("fixtures").get(docs.textValue().substring(1)) : docs;
      tests.add(DynamicTest.dynamicTest(row.get("id").textValue(), () -> checkQuery(row, items)));
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(90);
    return tests;
  }

  private static void checkQuery(JsonNode row, JsonNode items) {
    DocumentCollection<JsonNode> collection = filled(row, items);
    SqlQuery query = SqlQuery.of(row.get("query").textValue());
    if (row.has("expectError") && !row.has("alternateExpect")) {
      assertThatThrownBy(
              () -> collection.query(query, JsonNode.class).collectList().block(PATIENCE))
          .isInstanceOfAny(QueryException.class, DocumentException.class)
          .hasMessageContaining(row.get("expectError").path("contains").asText());
      return;
    }
    List<JsonNode> rows =
        Objects.requireNonNull(
            collection.query(query, JsonNode.class).collectList().block(PATIENCE));
    boolean isExpected =
        row.has("expect") && isSame(row, rows, row.get("expect"))
            || row.has("alternateExpect") && isSame(row, rows, row.get("alternateExpect"));
    assertThat(isExpected).as("%s (expected: %s)", rows, row.path("expect")).isTrue();
  }

  private static boolean isSame(JsonNode row, List<JsonNode> rows, JsonNode expected) {
    ArrayNode found = JSON.createArrayNode().addAll(rows);
    double tolerance = row.path("tolerance").asDouble(0);
    return row.get("compare").textValue().equals("exact")
        ? isSame(found, expected, tolerance)
        : isSame(sorted(found), sorted(expected), tolerance);
  }

  private static ArrayNode sorted(JsonNode rows) {
    List<JsonNode> sorted = new ArrayList<>();
    rows.forEach(sorted::add);
    sorted.sort(Comparator.comparing(JsonNode::toString));
    return JSON.createArrayNode().addAll(sorted);
  }

  private static DocumentCollection<JsonNode> filled(JsonNode row, JsonNode items) {
    String name = "c" + collections++;
    ObjectNode definition = JSON.createObjectNode();
    if (row.has("policy")) {
      definition.set("indexingPolicy", row.get("policy"));
    }
    if (row.has("vectorPolicy")) {
      definition.set("vectorEmbeddingPolicy", row.get("vectorPolicy"));
    }
    store.create(name, Definitions.parse(definition.toString())).block(PATIENCE);
    DocumentCollection<JsonNode> collection = store.collection(name, JsonNode.class);
    int number = 0;
    for (JsonNode item : items) {
      ObjectNode document = item.deepCopy();
      if (!document.path("id").isTextual()) {
        document.put("id", "generated-" + number);
      }
      number++;
      collection.create(document).block(PATIENCE);
    }
    return collection;
  }

  /** Compares without the order of members; numbers up to a relative tolerance. */
  private static boolean isSame(JsonNode one, JsonNode other, double tolerance) {
    if (one.isNumber() && other.isNumber()) {
      double difference = Math.abs(one.doubleValue() - other.doubleValue());
      return difference <= tolerance * Math.abs(other.doubleValue());
    }
    if (!one.isContainerNode() || one.size() != other.size()) {
      return one.equals(other);
    }
    for (Iterator<String> names = one.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!other.has(name) || !isSame(one.get(name), other.get(name), tolerance)) {
        return false;
      }
    }
    for (int i = 0; one.isArray() && i < one.size(); i++) {
      if (!isSame(one.get(i), other.get(i), tolerance)) {
        return false;
      }
    }
    return one.getNodeType() == other.getNodeType();
  }

  // ---- policies

  @TestFactory
  List<DynamicTest> policies() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode row : read("index-cases.json")) {
      if (row.get("kind").textValue().equals("policy")) {
        tests.add(DynamicTest.dynamicTest(row.get("id").textValue(), () -> checkPolicy(row)));
      }
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(28);
    return tests;
  }

  private static void checkPolicy(JsonNode row) {
    String name = "p" + collections++;
    boolean allowsLazy = !row.path("flag").asText().equals("allowLazy=false");
    DocumentStore own =
        DocumentStore.over(kv, DocumentStoreOptions.DEFAULT.withAllowLazy(allowsLazy));
    DocumentException refusal =
        catchThrowableOfType(
            DocumentException.class,
            () -> {
              if (row.has("storedVectorIndexes")) {
                ObjectNode stored = row.get("policy").deepCopy();
                stored.set("vectorIndexes", row.get("storedVectorIndexes"));
                own.create(name, definition(row, stored)).block(PATIENCE);
                own.collection(name, JsonNode.class)
                    .replaceDefinition(definition(row, row.get("policy")))
                    .blockLast(PATIENCE);
              } else {
                own.create(name, definition(row, row.get("policy"))).block(PATIENCE);
              }
            });
    assertThat(refusal == null)
        .as("%s", refusal == null ? "created" : refusal.getMessage())
        .isEqualTo(row.get("valid").booleanValue());
    own.close().block(PATIENCE);
  }

  private static CollectionDefinition definition(JsonNode row, @Nullable JsonNode policy) {
    ObjectNode definition = JSON.createObjectNode();
    definition.set("indexingPolicy", policy);
    for (String member : List.of("defaultTtl", "geospatialConfig")) {
      if (row.has(member)) {
        definition.set(member, row.get(member));
      }
    }
    if (row.has("vectorEmbeddings")) {
      definition
          .putObject("vectorEmbeddingPolicy")
          .set("vectorEmbeddings", row.get("vectorEmbeddings"));
    }
    return Definitions.parse(definition.toString());
  }
}
