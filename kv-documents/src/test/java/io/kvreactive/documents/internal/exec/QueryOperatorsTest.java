package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.internal.plan.AccessClass;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.testkit.OperatorCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks the operators of an explanation against the reads of the engine and the rows of pages. */
class QueryOperatorsTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("```sql operators\n(.*?)\n```\n+```json\n(.*?)\n```", Pattern.DOTALL);

  private static final Path EXEC = Path.of("src/main/java/io/kvreactive/documents/internal/exec");

  /** The first argument of a call that creates the counts of an operator. */
  private static final Pattern CREATION =
      Pattern.compile("(?:new OperatorStats|OperatorStats\\.(?:of|optional))\\(([^,;]*)");

  private static final Pattern LITERAL = Pattern.compile("\"(\\w+)\"");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]*) \\|");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  private static final IndexingPolicy POLICY =
      IndexingPolicy.DEFAULT
          .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/b"))
          .withComposite(CompositePath.ascending("/a"), CompositePath.descending("/f"))
          .withComposite(CompositePath.descending("/b"), CompositePath.descending("/s"))
          .withIncluded("/kids/[]/{name, age}/?", "/a/?", "/f/?");

  private static final IndexingPolicy SCALARS =
      IndexingPolicy.excludeRoot(
          "/a/?", "/b/?", "/f/?", "/s/?", "/missing/?", "/n/*", "/tags/[]/?", "/kids/[]/age/?");

  private @Nullable OperatorCheck engine;

  private QueryStore store(CollectionDefinition definition) {
    return new QueryStore(
        definition,
        DocumentStoreOptions.DEFAULT.withBackground(false),
        vertx ->
            Kv.open(vertx, KvOptions.inMemory().withName("operators-" + UUID.randomUUID()))
                .flatMap(
                    kv -> {
                      OperatorCheck counting = new OperatorCheck(kv.engine());
                      engine = counting;
                      return Kv.open(vertx, counting);
                    }));
  }

  private Set<String> check(QueryStore store, String sql, QueryOptions options) {
    return Objects.requireNonNull(engine).check(store.items, SqlQuery.of(sql).withOptions(options));
  }

  @Test
  void countTheEntriesThatTheStoreRead() {
    Set<String> names = new TreeSet<>();
    int number = 0;
    for (IndexingPolicy policy : List.of(POLICY, SCALARS)) {
      try (QueryStore store = store(CollectionDefinition.DEFAULT.withIndexingPolicy(policy))) {
        store.fill(new SampleDocuments(7).make(0, 120));
        List<String> queries = new ArrayList<>(DifferentialTest.queries(number++));
        queries.add("SELECT * FROM c ORDER BY c.b");
        queries.add("SELECT * FROM c WHERE c.b = 'x' ORDER BY c.s DESC");
        for (String sql : queries) {
          for (int size : new int[] {1000, 17}) {
            names.addAll(check(store, sql, QueryOptions.DEFAULT.withMaxItemCount(size)));
          }
        }
      }
    }
    assertThat(names)
        .contains(
            "concatenate",
            "distinct",
            "except",
            "filter",
            "fullScan",
            "group",
            "groupInOrder",
            "heldResult",
            "indexSeek",
            "intersection",
            "limit",
            "load",
            "minMax",
            "orderScan",
            "preciseIndexScan",
            "project",
            "skipScan",
            "sort",
            "union");
  }

  @Test
  void countTheEntriesOfManyItems() {
    try (QueryStore store = store(CollectionDefinition.DEFAULT.withIndexingPolicy(POLICY))) {
      store.fill(
          IntStream.range(0, 4000)
              .mapToObj(
                  i ->
                      JsonNodeFactory.instance
                          .objectNode()
                          .put("id", "" + i)
                          .put("a", i % 2)
                          .put("b", i % 3)
                          .put("f", i))
              .toList());
      for (String sql :
          List.of(
              "SELECT * FROM c WHERE c.a = 1 AND c.f > 10",
              "SELECT * FROM c WHERE c.a = 1 OR c.b = 2",
              "SELECT * FROM c WHERE c.f > 5 AND c.b > 0",
              "SELECT TOP 30 * FROM c WHERE c.b = 2 ORDER BY c.f",
              "SELECT * FROM c WHERE c.a = 0 ORDER BY c.f DESC OFFSET 1000 LIMIT 20",
              "SELECT DISTINCT VALUE c.f FROM c",
              "SELECT c.b, COUNT(1) AS n FROM c WHERE c.f >= 0 GROUP BY c.b")) {
        assertThat(check(store, sql, QueryOptions.DEFAULT.withMaxItemCount(900)))
            .as(sql)
            .contains("page");
      }
    }
  }

  @Test
  void countTheEntriesOfAPartitionAndOfVectors() {
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT
            .withPartitionKey("/country")
            .withVectorEmbeddings(new VectorEmbedding("/v", "float32", 2, "euclidean"))
            .withIndexingPolicy(
                IndexingPolicy.includeRoot("/v/*").withVector(new VectorIndex("/v", "flat")));
    try (QueryStore store = store(definition)) {
      List<ObjectNode> items = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        ObjectNode item = JsonNodeFactory.instance.objectNode();
        item.put("id", i % 5 == 0 ? "x".repeat(1000) + i : "" + i).put("country", i % 2);
        item.putArray("v").add(i).add(1);
        items.add(item);
      }
      store.fill(items);
      QueryOptions one = QueryOptions.DEFAULT.withPartitionKey(PartitionKey.of(1));
      assertThat(check(store, "SELECT * FROM c WHERE c.id > \"2\"", one)).contains("partition");
      assertThat(check(store, "SELECT * FROM c ORDER BY c.id", one)).contains("partition", "sort");
      String nearest = "SELECT TOP 5 c.id FROM c %s ORDER BY VectorDistance(c.v, [7, 1])";
      assertThat(check(store, nearest.formatted(""), QueryOptions.DEFAULT))
          .contains("vectorSearch", "load");
      assertThat(check(store, nearest.formatted("WHERE c.country = 1"), QueryOptions.DEFAULT))
          .contains("vectorSearch", "indexSeek");
    }
  }

  /** The names in calls that create counts are those of the table in docs/query.md. */
  @Test
  void areAllDocumented() throws IOException {
    Set<String> documented = new TreeSet<>();
    String section =
        Files.readString(Path.of("../docs/query.md")).split("\n### Operators\n")[1].split("\n#")[0];
    for (MatchResult row : ROW.matcher(section).results().toList()) {
      NAME.matcher(row.group(1)).results().forEach(name -> documented.add(name.group(1)));
    }
    Set<String> created = new TreeSet<>();
    Stream.of(AccessClass.values()).map(AccessClass::text).forEach(created::add);
    try (Stream<Path> sources = Files.list(EXEC)) {
      for (Path source : sources.toList()) {
        for (MatchResult call : CREATION.matcher(Files.readString(source)).results().toList()) {
          LITERAL.matcher(call.group(1)).results().forEach(name -> created.add(name.group(1)));
        }
      }
    }
    assertThat(documented).isEqualTo(created);
  }

  @Test
  void areAbsentIfTheQueryIsNotRun() {
    try (QueryStore store = store(CollectionDefinition.DEFAULT)) {
      Explanation plan = store.items.explain(SqlQuery.of("SELECT * FROM c")).block();
      assertThat(Objects.requireNonNull(plan).operators()).isNull();
    }
  }

  @Test
  void arePrintedAsDocumented() throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../docs/query.md")));
    assertThat(example.find()).isTrue();
    IndexingPolicy ordered =
        IndexingPolicy.DEFAULT.withComposite(
            CompositePath.ascending("/city"), CompositePath.ascending("/age"));
    try (QueryStore store = store(CollectionDefinition.DEFAULT.withIndexingPolicy(ordered))) {
      store.fill(
          IntStream.range(0, 60)
              .mapToObj(
                  i ->
                      JsonNodeFactory.instance
                          .objectNode()
                          .put("id", "" + i)
                          .put("city", i % 2 == 0 ? "Oslo" : "Rome")
                          .put("age", i)
                          .put("size", i % 3))
              .toList());
      SqlQuery query =
          SqlQuery.of(example.group(1)).withOptions(QueryOptions.DEFAULT.withExplain(true));
      Explanation explained = Objects.requireNonNull(store.page(query).explanation());
      assertThat(Objects.requireNonNull(explained.operators()))
          .hasToString(Json.parse(example.group(2).getBytes(StandardCharsets.UTF_8)).toString());
    }
  }
}
