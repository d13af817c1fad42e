package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.internal.path.PathParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Compares paths and policies to external sample verdicts, if these are available. */
class SampleVerdictsTest {
  private static final Path SAMPLES = Path.of("..", "..", "shared", "spec", "index-cases.json");
  private static final ObjectMapper JSON = new ObjectMapper();

  @TestFactory
  List<DynamicTest> matchesSampleVerdicts() throws IOException {
    assumeTrue(Files.isReadable(SAMPLES), () -> "There is no " + SAMPLES);
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode row : JSON.readTree(Files.readString(SAMPLES))) {
      if (!row.get("kind").textValue().equals("composite")) {
        tests.add(DynamicTest.dynamicTest(row.get("id").textValue(), () -> check(row)));
      }
    }
    assertThat(tests).hasSize(138);
    return tests;
  }

  private static void check(JsonNode row) {
    switch (row.get("kind").textValue()) {
      case "precedence" -> precedence(row);
      case "policy" -> policy(row);
      default -> path(row);
    }
  }

  private static void precedence(JsonNode row) {
    List<String> included = texts(row.get("included"));
    List<String> excluded = texts(row.get("excluded"));
    if (row.path("policyError").booleanValue()) {
      assertThat(refusal(() -> IndexingPolicy.of(included, excluded))).isNotNull();
    } else {
      PrecedenceTest.check(
          included, excluded, row.get("path").textValue(), row.get("indexed").booleanValue());
    }
  }

  private static void path(JsonNode row) {
    String text = row.get("path").textValue();
    String list = row.path("section").asText(row.path("position").asText("includedPaths"));
    DocumentException refusal =
        refusal(
            () -> {
              switch (list) {
                case "includedPaths" -> PathParser.included(text);
                case "excludedPaths" -> PathParser.excluded(text);
                case "compositeIndexes" -> PathParser.composite(text);
                case "vectorIndexes" -> PathParser.property(text);
                case "spatialIndexes" -> PathParser.rule(text);
                default -> throw new AssertionError(list);
              }
            });
    assertThat(refusal == null).isEqualTo(row.get("valid").booleanValue());
  }

  /** Checks a policy. A valid policy may be rejected only because of unsupported indexes. */
  private static void policy(JsonNode row) {
    ObjectNode definition = JSON.createObjectNode();
    definition.set("indexingPolicy", row.get("policy"));
    if (row.has("defaultTtl")) {
      definition.set("defaultTtl", row.get("defaultTtl"));
    }
    if (row.has("geospatialConfig")) {
      definition.set("geospatialConfig", row.get("geospatialConfig"));
    }
    if (row.has("vectorEmbeddings")) {
      definition
          .putObject("vectorEmbeddingPolicy")
          .set("vectorEmbeddings", row.get("vectorEmbeddings"));
    }
    DocumentException refusal = refusal(() -> Definitions.parse(definition.toString()));
    if (row.has("storedVectorIndexes")) {
      assertThat(refusal).as("the stored version, which cannot be created yet, decides").isNull();
      return;
    }
    if (row.path("flag").asText().equals("allowLazy=false")) {
      assertThat(refusal).as("what a store is allowed decides").isNull();
      return;
    }
    boolean valid =
        refusal == null
            || refusal.getMessage().contains("not supported yet")
            || refusal.getMessage().contains("needs the module kv-vector");
    assertThat(valid).isEqualTo(row.get("valid").booleanValue());
  }

  private static DocumentException refusal(ThrowingCallable read) {
    return catchThrowableOfType(DocumentException.class, read);
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.textValue()));
    return texts;
  }
}
