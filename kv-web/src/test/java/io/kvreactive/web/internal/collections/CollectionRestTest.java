package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Definitions of collections, by REST requests. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class CollectionRestTest {
  private static final String COMPOSITE =
      "{'indexingPolicy':{'includedPaths':[{'path':'/*'}],'excludedPaths':[],'compositeIndexes':"
          + "[[{'path':'/city','order':'ascending'},{'path':'/age','order':'descending'}]]}}";
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static TestServerContext site;
  private static Rest rest;
  private final String path = "/collections/c" + NAMES.incrementAndGet();

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static Answer put(String path, String json) {
    return rest.ask("PUT", path, Rest.body(json.replace('\'', '"')));
  }

  @Test
  void createsDescribesReplacesAndDropsACollection() {
    JsonNode made = put(path, "{}").is(201).json();
    assertThat(made.get("policyVersion").asInt()).isEqualTo(1);
    assertThat(made.get("indexTransformationProgress").asInt()).isEqualTo(100);
    assertThat(made.at("/indexingPolicy/includedPaths/0/path").asText()).isEqualTo("/*");
    assertThat(rest.get(path).is(200).json()).isEqualTo(made);
    assertThat(rest.get("/collections").is(200).json().get("collections")).contains(made);

    JsonNode replaced = put(path, COMPOSITE).is(200).json();
    assertThat(replaced.get("policyVersion").asInt()).isEqualTo(2);
    assertThat(replaced.at("/indexingPolicy/compositeIndexes/0/1/order").asText())
        .isEqualTo("descending");
    assertThat(replaced.get("etag").asText()).isGreaterThan(made.get("etag").asText());

    rest.ask("DELETE", path, null).is(204);
    rest.get(path).problem(404, "COLLECTION_NOT_FOUND");
    rest.ask("DELETE", path, null).problem(404, "COLLECTION_NOT_FOUND");
  }

  @Test
  void warnsAboutDefinitionsWithoutEffect() {
    String ascending = "[{'path':'/a'},{'path':'/b'}]";
    String descending = "[{'path':'/a','order':'descending'},{'path':'/b','order':'Descending'}]";
    JsonNode made =
        put(
                path,
                "{'indexingPolicy':{'includedPaths':[{'path':'/*','indexes':[{'kind':'Hash'}]}],"
                    + "'compositeIndexes':[%s,%s]}}".formatted(ascending, descending))
            .is(201)
            .json();
    assertThat(made.at("/indexingPolicy/compositeIndexes")).hasSize(1);
    assertThat(made.get("warnings"))
        .extracting(JsonNode::asText)
        .containsExactlyInAnyOrder(
            "The indexes [Hash] of the path '/*' mean nothing any more: the path is indexed as all"
                + " are.",
            "The composite index (/a descending, /b descending) is superfluous: one before it"
                + " serves the same.");
    assertThat(rest.get(path).is(200).json().has("warnings")).isFalse();
    assertThat(
            put(
                    path,
                    "{'indexingPolicy':{'indexingMode':'none','compositeIndexes':[%s]}}"
                        .formatted(ascending))
                .is(200)
                .json()
                .get("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly("With the indexing mode none, paths and indexes mean nothing.");
    rest.ask("DELETE", path, null).is(204);
  }

  @Test
  void takesTheDescriptionOfACollectionAndAPolicyAlone() {
    put(path, "{'partitionKey':{'paths':['/tenant']},'defaultTtl':60}").is(201);
    String described = rest.get(path + "?sizes=true").is(200).body();
    JsonNode same = put(path, described).is(200).json();
    assertThat(same.at("/partitionKey/paths/0").asText()).isEqualTo("/tenant");
    assertThat(same.get("defaultTtl").asInt()).isEqualTo(60);
    assertThat(same.has("warnings")).isFalse();

    JsonNode policy =
        put(path, "{'includedPaths':[{'path':'/*'},{'path':'/_etag/?'}],'excludedPaths':[]}")
            .is(200)
            .json();
    assertThat(policy.at("/indexingPolicy/includedPaths")).hasSize(2);
    assertThat(policy.at("/partitionKey/paths/0").asText()).isEqualTo("/tenant");
    assertThat(policy.get("defaultTtl").asInt()).isEqualTo(60);
    assertThat(policy.get("warnings"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "The included path '/_etag/?' has no effect: no index serves queries for _etag.");
    put(path, "{'name':'another'}").problem(400, "INVALID_POLICY");
    rest.ask("DELETE", path, null).is(204);
  }

  @Test
  void warnsAboutMembersWithoutEffect() {
    assertThat(
            put(
                    path,
                    ("{'partitionKey':{'paths':['/a'],'kind':'Hash','version':2},'indexingPolicy':"
                        + "{'includedPaths':[{'path':'/*'}],'excludedPaths':[{'path':'/_ts/?'}],"
                        + "'compositeIndexes':[[{'path':'/b'},{'path':'/_etag'}]]}}"))
                .is(201)
                .json()
                .get("warnings"))
        .hasSize(4);
    rest.ask("DELETE", path, null).is(204);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "{'path':'/*'} | | add '/v/*' to excludedPaths.",
        "{'path':'/*'} | {'path':'/v/?'} | add '/v/*' to excludedPaths.",
        "{'path':'/*'},{'path':'/v/*'} | | add '/v/*' to excludedPaths and remove '/v/*' from"
            + " includedPaths.",
        "{'path':'/v/[]/?'} | {'path':'/*'} | add '/v/*' to excludedPaths and remove '/v/[]/?' from"
            + " includedPaths.",
        "{'path':'/*'} | {'path':'/v/*'} | none",
        "{'path':'/*'} | {'path':'/v/[]/?'} | none",
        "{'path':'/v/?'} | {'path':'/*'} | none",
      })
  void warnsAboutRangeEntriesOfTheElementsOfVectors(
      String included, @Nullable String excluded, @Nullable String advice) {
    String policy =
        "{'includedPaths':[%s],'excludedPaths':[%s],'vectorIndexes':[{'path':'/v','type':'flat'}]}"
            .formatted(included, excluded == null ? "" : excluded);
    String definition =
        ("{'indexingPolicy':%s,'vectorEmbeddingPolicy':{'vectorEmbeddings':[{'path':'/v',"
                + "'dataType':'float32','dimensions':3,'distanceFunction':'cosine'}]}}")
            .formatted(policy);
    List<String> expected =
        advice == null
            ? List.of()
            : List.of("The policy indexes each element of the vectors at '/v': " + advice);
    for (Answer answer :
        List.of(
            put(path, definition).is(201),
            put(path, definition).is(200),
            put(path, policy).is(200),
            rest.ask("PUT", path, Rest.body(policy.replace('\'', '"')), "If-Match", "*").is(200))) {
      assertThat(answer.json().path("warnings"))
          .extracting(JsonNode::asText)
          .containsExactlyElementsOf(expected);
    }
    rest.ask("DELETE", path, null).is(204);
    put(path, policy).problem(400, "INVALID_POLICY"); // without an embedding
    String none =
        definition.replace(policy, "{'indexingMode':'none'}"); // without vector and range entries
    assertThat(put(path, none).is(201).json().has("warnings")).isFalse();
    rest.ask("DELETE", path, null).is(204);
  }

  @Test
  void reportsATrailingCommaWithLineAndColumn() {
    String sample = // a superfluous comma after the dimensions
        """
        {
          "indexingPolicy": {"vectorIndexes": [{"path": "/vector1", "type": "flat"}]},
          "vectorEmbeddingPolicy": {"vectorEmbeddings": [
            {
              "path": "/vector1",
              "dataType": "float32",
              "distanceFunction": "cosine",
              "dimensions": 10,
            }
          ]}
        }
        """;
    assertThat(put(path, sample).problem(400, "BAD_REQUEST").json().get("detail").asText())
        .isEqualTo("body at line 9, column 5: unexpected } after a comma (expected: JSON)");
    rest.get(path).problem(404, "COLLECTION_NOT_FOUND");
  }

  @Test
  void letsOneOfConcurrentCreatorsSucceed() {
    for (int round = 0; round < 10; round++) {
      String raced = path + "-" + round;
      List<CompletableFuture<Answer>> asked =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> create(raced, "{'defaultTtl':9" + i + "}")))
              .toList();
      List<Answer> answers = asked.stream().map(CompletableFuture::join).toList();
      List<Answer> made =
          answers.stream().filter(answer -> answer.response().statusCode() == 201).toList();
      assertThat(made).hasSize(1);
      answers.stream()
          .filter(answer -> !made.contains(answer))
          .forEach(answer -> answer.problem(412, "CHECK_FAILED"));
      assertThat(rest.get(raced).is(200).json()).isEqualTo(made.get(0).json());
    }
    create(path + "-0", "{}").problem(412, "CHECK_FAILED");
    rest.ask("PUT", path, Rest.body("{}"), "If-None-Match", "\"1\"").problem(400, "BAD_REQUEST");
    rest.ask("PUT", path, Rest.body("{}"), "If-Match", "\"00000000000000010000\"")
        .problem(400, "BAD_REQUEST");
    rest.get(path).problem(404, "COLLECTION_NOT_FOUND");
  }

  private static Answer create(String path, String json) {
    return rest.ask("PUT", path, Rest.body(json.replace('\'', '"')), "If-None-Match", "*");
  }

  @Test
  void reportsTheTransformationUntilItsEnd() {
    put(path, "{}").is(201);
    for (int i = 0; i < 200; i++) {
      rest.post(path + "/items", "{\"id\":\"" + i + "\",\"city\":\"Oslo\",\"age\":" + i + "}")
          .is(201);
    }
    put(path, COMPOSITE).is(200);
    List<JsonNode> lines = rest.get(path + "/transformation").is(200).lines();
    JsonNode last = lines.get(lines.size() - 1);
    assertThat(last.get("done").asBoolean()).as("%s", lines).isTrue();
    assertThat(last.get("percent").asInt()).isEqualTo(100);
    assertThat(last.get("policyVersion").asInt()).isEqualTo(2);
    JsonNode sizes = rest.get(path + "?sizes=true").is(200).json().get("sizes");
    assertThat(sizes.get("items").asInt()).isEqualTo(200);
    assertThat(sizes.get("indexes").findValuesAsText("index"))
        .anyMatch(n -> n.contains("composite"));
  }

  @Test
  void rejectsUnsupportedChanges() {
    put(path, "{'partitionKey':{'paths':['/city']}}").is(201);
    put(path, "{'partitionKey':{'paths':['/name']}}").problem(400, "NOT_CHANGEABLE");
    put(path, "{}").problem(400, "NOT_CHANGEABLE");
    assertThat(rest.get(path).json().at("/partitionKey/paths/0").asText()).isEqualTo("/city");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'indexingPolicy':{'includedPaths':[{'path':'/a'}],'excludedPaths':[{'path':'/*'}]}} | INVALID_PATH",
        "{'indexingPolicy':{'includedPaths':[{'path':'/a/?'}],'excludedPaths':[]}} | INVALID_POLICY",
        "{'indexingPolicy':{'indexingMode':'fast'}} | INVALID_POLICY",
        "{'indexes':[]} | INVALID_POLICY",
        "[] | INVALID_POLICY",
        "{'defaultTtl':0} | INVALID_POLICY",
        "{ | BAD_REQUEST",
      })
  void rejectsInvalidDefinitions(String json, String code) {
    put(path, json.replace("'", "\"")).problem(400, code);
    rest.get(path).problem(404, "COLLECTION_NOT_FOUND");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a%20b", "%2e%2e%2f", "a%2Fb", "%00", "caf%C3%A9"})
  void rejectsInvalidNames(String name) {
    assertThat(put("/collections/" + name, "{}").response().statusCode()).isIn(400, 404);
    assertThat(rest.get("/collections/" + name).response().statusCode()).isIn(400, 404);
  }

  @Test
  void rejectsDeepDefinitions() {
    put(path, "{'indexingPolicy':" + "[".repeat(100_000) + "]".repeat(100_000) + "}")
        .problem(400, "BAD_REQUEST");
  }

  @Test
  void requiresJsonBodies() {
    rest.ask("PUT", path, Rest.body("{}"), "Content-Type", "text/plain")
        .problem(415, "UNSUPPORTED_MEDIA_TYPE");
    rest.get(path + "?size=true").problem(400, "BAD_REQUEST");
  }

  @Test
  void rejectsOperationsOnAbsentCollections() {
    rest.post(path + "/items", "{\"id\":\"1\"}").problem(404, "COLLECTION_NOT_FOUND");
    rest.get(path + "/items/1").problem(404, "COLLECTION_NOT_FOUND");
    rest.post(path + "/query", "{\"query\":\"SELECT * FROM c\"}")
        .problem(404, "COLLECTION_NOT_FOUND");
    rest.get(path + "/transformation").problem(404, "COLLECTION_NOT_FOUND");
    rest.get(path + "?sizes").problem(404, "COLLECTION_NOT_FOUND");
  }

  /** The definition is answered in either order, without waiting forever. */
  @Test
  void answersTheDefinitionDespiteAConcurrentDrop() throws Exception {
    for (int round = 0; round < Tries.of(20, 100); round++) {
      String raced = path + "-" + round;
      put(raced, "{}").is(201);
      var replaced = CompletableFuture.supplyAsync(() -> put(raced, COMPOSITE));
      var dropped = CompletableFuture.supplyAsync(() -> rest.ask("DELETE", raced, null));
      assertThat(replaced.get(60, TimeUnit.SECONDS).response().statusCode())
          .isIn(200, 201, 404, 409, 503);
      assertThat(dropped.get(60, TimeUnit.SECONDS).response().statusCode()).isIn(204, 404);
    }
  }
}
