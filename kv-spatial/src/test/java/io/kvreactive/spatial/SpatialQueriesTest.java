package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.testkit.OperatorCheck;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Compares queries with a spatial index to scans of the same items. */
@ExtendWith(VertxExtension.class)
class SpatialQueriesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final QueryOptions SCAN = QueryOptions.DEFAULT.withForceScan(true);
  private static final String GEOGRAPHY =
      """
      {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "spatialIndexes":
         [{"path": "/place/?", "types": ["Point", "LineString", "Polygon", "MultiPolygon"]}]}}
      """;
  private static final String GEOMETRY =
      """
      {"geospatialConfig": {"type": "Geometry"},
       "indexingPolicy": {"includedPaths": [{"path": "/*"}], "spatialIndexes":
         [{"path": "/place/?", "types": ["Point", "LineString", "Polygon", "MultiPolygon"],
           "boundingBox": {"xmin": -100, "ymin": -60, "xmax": 100, "ymax": 60}}]}}
      """;

  /** Number of items whose indexes take some time to build. */
  private static final int MANY = Tries.of(1500, 2500);

  @TempDir Path directory;
  private Kv kv;
  private DocumentStore index;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    index = DocumentStore.over(kv);
  }

  @AfterEach
  void close() {
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  private DocumentCollection<JsonNode> create(String definition) {
    index.create("c", Definitions.parse(definition)).block(PATIENCE);
    return index.collection("c", JsonNode.class);
  }

  private static void fill(
      DocumentCollection<JsonNode> items, int count, IntFunction<ObjectNode> item) {
    items
        .load(
            Flux.range(0, count).map(i -> (JsonNode) item.apply(i)),
            LoadOptions.DEFAULT.withConcurrency(1))
        .blockLast(PATIENCE);
  }

  static ObjectNode item(int id, ObjectNode place) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "i" + id);
    item.put("even", id % 2 == 0);
    item.set("place", place);
    return item;
  }

  /** Returns the ids that a query finds, after asserting that a scan finds the same. */
  static List<String> ids(DocumentCollection<JsonNode> items, SqlQuery query) {
    List<String> found = items.query(query, String.class).collectList().block(PATIENCE);
    List<String> scanned =
        items.query(query.withOptions(SCAN), String.class).collectList().block(PATIENCE);
    assertThat(found)
        .as("%s %s", query.text(), query.parameters())
        .containsExactlyInAnyOrderElementsOf(scanned);
    return found;
  }

  @Test
  void countsTheEntriesThatEachOperatorReads(Vertx vertx) {
    OperatorCheck counting = new OperatorCheck(kv.engine());
    Kv counted = Kv.open(vertx, counting).block(PATIENCE);
    DocumentStore store =
        DocumentStore.over(counted, DocumentStoreOptions.DEFAULT.withBackground(false));
    store.create("c", Definitions.parse(GEOGRAPHY)).block(PATIENCE);
    DocumentCollection<JsonNode> items = store.collection("c", JsonNode.class);
    RandomShapes shapes = new RandomShapes(new Random(5));
    fill(items, 1200, i -> item(i, shapes.point()));
    Set<String> names = new HashSet<>();
    for (SqlQuery query : randomQueries(shapes, new Random(6), false)) {
      names.addAll(counting.check(items, query));
    }
    Map<String, Object> here = Map.of("here", shapes.point());
    String nearest = "SELECT VALUE c.id FROM c ORDER BY ST_DISTANCE(c.place, @here)";
    QueryOptions few = QueryOptions.DEFAULT.withMaxItemCount(300);
    names.addAll(counting.check(items, SqlQuery.of(nearest, here).withOptions(few)));
    names.addAll(
        counting.check(items, SqlQuery.of(nearest.replace("SELECT", "SELECT TOP 7"), here)));
    assertThat(names).contains("expandedIndexScan", "nearest", "sort", "fullScan");
    store.close().block(PATIENCE);
  }

  static List<SqlQuery> randomQueries(RandomShapes shapes, Random random, boolean plane) {
    double metres = Math.pow(10, random.nextDouble() * 6 + 1); // 10 m to 10,000 km
    double radius = plane ? metres / 1e5 : metres;
    List<SqlQuery> questions = new ArrayList<>();
    for (String where :
        List.of(
            "ST_DISTANCE(c.place, @g) < @r",
            "@r >= ST_DISTANCE(@g, c.place)",
            "ST_WITHIN(c.place, @polygon)",
            "ST_WITHIN(@g, c.place)",
            "ST_INTERSECTS(c.place, @any)",
            "ST_INTERSECTS(@any, c.place) AND c.even",
            "NOT ST_INTERSECTS(c.place, @any)",
            "ST_DISTANCE(c.place, @g) > @r",
            "ST_WITHIN(c.place, @polygon) OR ST_DISTANCE(c.place, @g) BETWEEN 0 AND @r")) {
      questions.add(
          SqlQuery.of(
              "SELECT VALUE c.id FROM c WHERE " + where,
              Map.of(
                  "g", shapes.point(),
                  "polygon", shapes.polygon(),
                  "any", shapes.any(),
                  "r", radius)));
    }
    return questions;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void agreesWithAScanWhileItemsChange(boolean plane) {
    DocumentCollection<JsonNode> items = create(plane ? GEOMETRY : GEOGRAPHY);
    Random random = new Random(plane ? 7 : 8);
    RandomShapes shapes = new RandomShapes(random);
    int found = 0;
    for (int round = 0; round < 6; round++) {
      change(items, 60, 300, random, shapes);
      for (SqlQuery question : randomQueries(shapes, random, plane)) {
        found += ids(items, question).size();
      }
    }
    assertThat(found).isGreaterThan(200);
    for (String type : List.of("Point", "LineString", "Polygon", "MultiPolygon")) {
      assertThat(count(items, "ST_ISVALID(c.place) AND c.place.type = '" + type + "'"))
          .isPositive();
    }
  }

  /** Creates, replaces and deletes items with random ids. */
  private static void change(
      DocumentCollection<JsonNode> items,
      int writes,
      int maxItems,
      Random random,
      RandomShapes shapes) {
    for (int i = 0; i < writes; i++) {
      int id = random.nextInt(maxItems);
      if (random.nextInt(5) == 0) {
        items.delete("i" + id).block(PATIENCE);
      } else {
        items.upsert(item(id, shapes.any())).block(PATIENCE);
      }
    }
  }

  private static int count(DocumentCollection<JsonNode> items, String where) {
    SqlQuery query = SqlQuery.of("SELECT VALUE COUNT(1) FROM c WHERE " + where);
    return items.query(query, Integer.class).blockLast(PATIENCE);
  }

  /** Returns whether shapes are on a plane; in the short form they are on the globe. */
  static List<Boolean> planes() {
    return List.of(false, true).subList(0, Tries.of(1, 2));
  }

  @ParameterizedTest
  @MethodSource("planes")
  void agreesWithAScanWhileItsIndexIsBuilt(boolean plane) {
    String without = plane ? "{\"geospatialConfig\": {\"type\": \"Geometry\"}}" : "{}";
    DocumentCollection<JsonNode> items = create(without);
    Random random = new Random(plane ? 14 : 15);
    RandomShapes shapes = new RandomShapes(random);
    fill(items, MANY, i -> item(i, shapes.any()));
    int building = 0;
    int found = 0;
    while (building < 10) { // comparisons during the build; a fast build is repeated
      items.replaceDefinition(Definitions.parse(without)).blockLast(PATIENCE);
      items
          .replaceDefinition(Definitions.parse(plane ? GEOMETRY : GEOGRAPHY))
          .next()
          .block(PATIENCE);
      for (int complete = 0; complete < Tries.of(5, 15); ) {
        if (items.info().block(PATIENCE).transformation().isComplete()) {
          complete++;
        } else {
          building++;
        }
        change(items, 10, MANY, random, shapes);
        List<SqlQuery> queries = randomQueries(shapes, random, plane);
        found += ids(items, queries.get(random.nextInt(queries.size()))).size();
      }
    }
    assertThat(found).isGreaterThan(200);
    assertThat(accessOf(items, randomQueries(shapes, random, plane).get(0)))
        .isEqualTo("expandedIndexScan");
  }

  @Test
  void buildsAddedIndexAndStopsReadingRemovedOne() {
    DocumentCollection<JsonNode> items = create("{}");
    RandomShapes shapes = new RandomShapes(new Random(9));
    fill(items, 400, i -> item(i, shapes.any()));
    SqlQuery near =
        SqlQuery.of(
            "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.place, @g) < 3000000",
            Map.of("g", shapes.point()));
    assertThat(accessOf(items, near)).isEqualTo("fullScan");
    List<String> before = ids(items, near);
    assertThat(items.replaceDefinition(Definitions.parse(GEOGRAPHY)).blockLast(PATIENCE))
        .matches(progress -> progress.isComplete());
    assertThat(accessOf(items, near)).isEqualTo("expandedIndexScan");
    assertThat(ids(items, near)).containsExactlyInAnyOrderElementsOf(before);
    assertThat(items.sizes().block(PATIENCE).indexes())
        .anyMatch(size -> size.index().startsWith("spatial#") && size.entries() >= 400);
    items.replaceDefinition(Definitions.parse(GEOMETRY)).blockLast(PATIENCE);
    assertThat(accessOf(items, near)).isEqualTo("expandedIndexScan");
    assertThat(ids(items, near)).isNotEqualTo(before); // on a plane, the distance is in degrees
    items.replaceDefinition(CollectionDefinition.DEFAULT).blockLast(PATIENCE);
    assertThat(accessOf(items, near)).isEqualTo("fullScan");
    assertThat(items.sizes().block(PATIENCE).indexes())
        .noneMatch(size -> size.index().startsWith("spatial#"));
  }

  private static String accessOf(DocumentCollection<JsonNode> items, SqlQuery query) {
    return items.explain(query).block(PATIENCE).plan().get("class").asText();
  }

  @Test
  void keepsEntriesWhenTheStoreIsReopened(Vertx vertx) {
    DocumentCollection<JsonNode> items = create(GEOGRAPHY);
    RandomShapes shapes = new RandomShapes(new Random(10));
    fill(items, 100, i -> item(i, shapes.point()));
    SqlQuery near =
        SqlQuery.of(
            "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.place, @g) < 5000000",
            Map.of("g", shapes.point()));
    List<String> before = ids(items, near);
    close();
    open(vertx);
    DocumentCollection<JsonNode> again = index.collection("c", JsonNode.class);
    assertThat(ids(again, near)).containsExactlyInAnyOrderElementsOf(before);
    assertThat(accessOf(again, near)).isEqualTo("expandedIndexScan");
  }

  @Test
  void indexesElementsOfArraysAndSubtrees() {
    String policy =
        """
        {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "spatialIndexes": [
           {"path": "/stops/[]/at/?", "types": ["Point"]}, {"path": "/area/*", "types": ["Polygon"]}]}}
        """;
    DocumentCollection<JsonNode> items = create(policy);
    RandomShapes shapes = new RandomShapes(new Random(11));
    fill(
        items,
        100,
        i -> {
          ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "i" + i);
          for (int stop = 0; stop < 3; stop++) {
            item.withArray("stops").addObject().set("at", shapes.point());
          }
          item.putObject("area").set("outer", shapes.polygon());
          return item;
        });
    for (int i = 0; i < 10; i++) {
      Map<String, Object> parameters = Map.of("g", shapes.point(), "r", 2_000_000);
      for (String query :
          List.of(
              "SELECT DISTINCT VALUE c.id FROM c JOIN s IN c.stops WHERE ST_DISTANCE(s.at, @g) < @r",
              "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE 1 FROM s IN c.stops WHERE ST_DISTANCE(s.at, @g) < @r)",
              "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.stops[1].at, @g) < @r",
              "SELECT VALUE c.id FROM c WHERE ST_INTERSECTS(c.area[\"outer\"], @g)")) {
        SqlQuery asked = SqlQuery.of(query, parameters);
        ids(items, asked);
        assertThat(accessOf(items, asked)).as(query).isEqualTo("expandedIndexScan");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void returnsTheNearestFirst(boolean plane) {
    DocumentCollection<JsonNode> items = create(plane ? GEOMETRY : GEOGRAPHY);
    Random random = new Random(12);
    RandomShapes shapes = new RandomShapes(random);
    fill(
        items,
        500,
        i -> {
          ObjectNode item = item(i, shapes.any());
          return i % 50 == 0 ? item.put("place", "nowhere") : item;
        });
    for (int round = 0; round < Tries.of(2, 20); round++) {
      for (String where : List.of("true", "c.even")) {
        ObjectNode here = round == 0 ? shapes.any() : shapes.point();
        int valid = count(items, where + " AND ST_ISVALID(c.place)");
        for (int top : new int[] {1, 5, 40, 1000}) {
          SqlQuery query =
              SqlQuery.of(
                  "SELECT TOP %d VALUE c.id FROM c WHERE %s ORDER BY ST_DISTANCE(c.place, @here)"
                      .formatted(top, where),
                  Map.of("here", here));
          List<String> nearest = items.query(query, String.class).collectList().block(PATIENCE);
          assertThat(nearest)
              .isEqualTo(
                  items.query(query.withOptions(SCAN), String.class).collectList().block(PATIENCE))
              .hasSize(Math.min(top, valid));
          JsonNode plan = items.explain(query).block(PATIENCE).plan();
          assertThat(plan.at("/orderBy/servedBy").asText()).startsWith("spatial#");
          assertThat(plan.at("/orderBy/nearestFirst").asBoolean()).isTrue();
        }
      }
      change(items, 50, 500, random, shapes);
    }
  }

  @ParameterizedTest
  @MethodSource("planes")
  void continuesNearestFirstOnLaterPages(boolean plane) {
    DocumentCollection<JsonNode> items = create(plane ? GEOMETRY : GEOGRAPHY);
    Random random = new Random(16);
    RandomShapes shapes = new RandomShapes(random);
    fill(
        items,
        300,
        i -> {
          ObjectNode item = item(i, shapes.any());
          item.putArray("tags").add("a").add("b");
          return item;
        });
    for (String text :
        List.of(
            "SELECT VALUE c.id FROM c ORDER BY ST_DISTANCE(c.place, @here)",
            "SELECT TOP 150 VALUE c.id FROM c WHERE c.even ORDER BY ST_DISTANCE(@here, c.place)",
            "SELECT VALUE c.id FROM c ORDER BY ST_DISTANCE(c.place, @here) OFFSET 7 LIMIT 100",
            "SELECT VALUE CONCAT(c.id, t) FROM c JOIN t IN c.tags ORDER BY ST_DISTANCE(c.place, @here)")) {
      SqlQuery query = SqlQuery.of(text, Map.of("here", shapes.point()));
      List<String> paged = new ArrayList<>();
      QueryOptions options = QueryOptions.DEFAULT;
      while (options != null) {
        QueryOptions next = options.withMaxItemCount(1 + random.nextInt(40));
        QueryPage<String> page = items.page(query.withOptions(next), String.class).block(PATIENCE);
        paged.addAll(page.items());
        options = page.continuation() == null ? null : next.withContinuation(page.continuation());
      }
      assertThat(paged)
          .as(text)
          .hasSizeGreaterThan(50)
          .isEqualTo(
              items.query(query.withOptions(SCAN), String.class).collectList().block(PATIENCE));
    }
  }

  /** Returns sizes of a cluster of items; in the short form the extremes. */
  static List<Double> degrees() {
    return List.of(0.0005, 5.0, 0.05).subList(0, Tries.of(2, 3));
  }

  @ParameterizedTest
  @MethodSource("degrees")
  void loadsFewItemsForEachPageOfTheNearest(double degrees) {
    DocumentCollection<JsonNode> items = create(GEOGRAPHY);
    Random random = new Random(17);
    fill(
        items,
        Tries.of(2_000, 10_000),
        i -> item(i, near(random.nextGaussian(), random.nextGaussian(), degrees)));
    SqlQuery query =
        SqlQuery.of(
            "SELECT VALUE c.id FROM c ORDER BY ST_DISTANCE(c.place, @here)",
            Map.of("here", near(0.1, 0, degrees)));
    List<String> scanned =
        items.query(query.withOptions(SCAN), String.class).take(50).collectList().block(PATIENCE);
    List<String> paged = new ArrayList<>();
    QueryOptions options = QueryOptions.DEFAULT.withMaxItemCount(10);
    for (int i = 0; i < 5; i++) {
      QueryPage<String> page = items.page(query.withOptions(options), String.class).block(PATIENCE);
      paged.addAll(page.items());
      assertThat(page.metrics().retrievedItems()).as("page %d", i).isLessThan(1000);
      options = options.withContinuation(page.continuation());
    }
    assertThat(paged).isEqualTo(scanned);
  }

  private static ObjectNode near(double x, double y, double degrees) {
    ObjectNode point = JsonNodeFactory.instance.objectNode().put("type", "Point");
    point.putArray("coordinates").add(10 + x * degrees).add(50 + y * degrees);
    return point;
  }

  @Test
  void reportsTheUsedSpatialIndexInMetrics() {
    DocumentCollection<JsonNode> items = create(GEOGRAPHY);
    String distance = "ST_DISTANCE(c.place, {'type': 'Point', 'coordinates': [1, 2]})";
    for (String sql :
        List.of(
            "SELECT * FROM c WHERE " + distance + " < 9",
            "SELECT TOP 3 * FROM c ORDER BY " + distance)) {
      JsonNode used =
          items
              .explain(SqlQuery.of(sql))
              .block(PATIENCE)
              .indexMetrics()
              .get("UtilizedSingleIndexes");
      assertThat(used).as(sql).hasSize(1);
      assertThat(used.get(0).get("IndexSpec").asText()).as(sql).isEqualTo("/place/?");
      assertThat(used.get(0).get("IndexType").asText()).as(sql).isEqualTo("spatial");
    }
  }

  @Test
  void rejectsOtherFunctionsInOrderBy() {
    DocumentCollection<JsonNode> items = create(GEOGRAPHY);
    assertThatThrownBy(
            () -> items.query("SELECT * FROM c ORDER BY ST_AREA(c.place)").blockLast(PATIENCE))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY));
  }
}
