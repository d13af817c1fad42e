package io.kvreactive.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexingPolicyTest {
  @Test
  void includesAllPathsButTheEtagByDefault() {
    assertThat(Definitions.toJson(IndexingPolicy.DEFAULT))
        .isEqualTo(
            """
            {"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],\
            "excludedPaths":[{"path":"/_etag/?"}],"compositeIndexes":[],"spatialIndexes":[],\
            "vectorIndexes":[],"fullTextIndexes":[]}\
            """);
    assertThat(Definitions.parse("{}").indexingPolicy()).isEqualTo(IndexingPolicy.DEFAULT);
  }

  @Test
  void normalizesWithoutDuplicatesInGivenOrder() {
    IndexingPolicy policy =
        Definitions.parsePolicy(
            """
            {"indexingMode":"CONSISTENT",
             "includedPaths":[{"path":"/b/?"},{"path":"/"},{"path":"/\\"b\\"/?"},{"path":"/a-b/?"}],
             "excludedPaths":[{"path":"/c/*"}],
             "compositeIndexes":[[{"path":"/\\"x\\"","order":"Descending"},{"path":"/y"}]]}\
            """
                .replace("/a-b/?", "/\\\"a-b\\\"/?"));
    assertThat(policy.indexingMode()).isEqualTo(IndexingMode.CONSISTENT);
    assertThat(policy.includedPaths()).containsExactly("/b/?", "/*", "/\"a-b\"/?");
    assertThat(policy.excludedPaths()).containsExactly("/c/*");
    assertThat(policy.compositeIndexes())
        .containsExactly(List.of(CompositePath.descending("/x"), CompositePath.ascending("/y")));
    assertThat(Definitions.parsePolicy(Definitions.toJson(policy))).isEqualTo(policy);
  }

  @Test
  void buildsPoliciesByFactoriesAndWithers() {
    assertThat(IndexingPolicy.includeRoot("/big/*"))
        .isEqualTo(IndexingPolicy.of(List.of("/*"), List.of("/_etag/?", "/big/*")))
        .isEqualTo(IndexingPolicy.DEFAULT.withExcluded("/big/*"));
    assertThat(IndexingPolicy.excludeRoot("/name/?"))
        .isEqualTo(IndexingPolicy.ttlOnly().withIncluded("/name/?"));
    assertThat(IndexingPolicy.none().indexingMode()).isEqualTo(IndexingMode.NONE);
    assertThat(IndexingPolicy.DEFAULT.withAutomatic(false).automatic()).isFalse();
    IndexingPolicy composite =
        IndexingPolicy.DEFAULT.withComposite(
            CompositePath.ascending("/a"), CompositePath.descending("/b"));
    assertThat(composite.compositeIndexes()).hasSize(1);
    assertThat(composite.withComposites(List.of())).isEqualTo(IndexingPolicy.DEFAULT);
  }

  @Test
  void dropsCompositesServedByOthers() {
    IndexingPolicy policy =
        IndexingPolicy.DEFAULT
            .withComposite(CompositePath.ascending("/a"), CompositePath.descending("/b"))
            .withComposite(CompositePath.descending("/a"), CompositePath.ascending("/b"))
            .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/b"))
            .withComposite(CompositePath.ascending("/a"), CompositePath.descending("/b"));
    assertThat(policy.compositeIndexes())
        .containsExactly(
            List.of(CompositePath.ascending("/a"), CompositePath.descending("/b")),
            List.of(CompositePath.ascending("/a"), CompositePath.ascending("/b")));
  }

  @Test
  void completesPoliciesWithoutPaths() {
    for (String text :
        List.of(
            "{\"indexingMode\":\"consistent\"}", "{\"includedPaths\":[],\"excludedPaths\":[]}")) {
      List<String> warnings = new ArrayList<>();
      CollectionDefinition definition =
          Definitions.parse("{\"indexingPolicy\":" + text + "}", warnings::add);
      assertThat(definition.indexingPolicy().includedPaths()).as(text).containsExactly("/*");
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("neither included nor excluded paths")
          .contains("'/*'");
    }
    assertThat(Definitions.parsePolicy("{\"indexingMode\":\"none\"}"))
        .isEqualTo(IndexingPolicy.none());
  }

  @Test
  void ignoresAllListsInModeNone() {
    IndexingPolicy policy =
        Definitions.parsePolicy(
            "{\"indexingMode\":\"none\",\"includedPaths\":[{\"path\":\"no path\"}],"
                + "\"compositeIndexes\":[[]]}");
    assertThat(policy).isEqualTo(IndexingPolicy.none());
  }

  @Test
  void convertsOldSpatialIndexOfAPath() {
    IndexingPolicy policy =
        Definitions.parsePolicy(
            """
            {"includedPaths":[{"path":"/*"},
              {"path":"/place/*","indexes":[{"kind":"Range","dataType":"Number"},
                                            {"kind":"Spatial","dataType":"Point"}]}]}\
            """);
    assertThat(policy.spatialIndexes())
        .containsExactly(new SpatialIndex("/place/*", List.of("Point"), null));
  }

  @Test
  void reportsTheFirstBrokenRule() {
    // order of the checks: missing root, invalid path, composite index, ...
    invalid("{\"includedPaths\":[{\"path\":\"/x\"}],\"compositeIndexes\":[[]]}", "mandatory");
    invalid(
        "{\"includedPaths\":[{\"path\":\"/*\"},{\"path\":\"/x\"},{\"path\":\"/a/?\"}],"
            + "\"excludedPaths\":[{\"path\":\"/a/?\"}]}",
        "'/a/?' is in includedPaths and in excludedPaths");
    invalid(
        "{\"includedPaths\":[{\"path\":\"/*\"},{\"path\":\"/x\"}],\"compositeIndexes\":[[]]}",
        "The indexing path '/x' could not be accepted, failed near position '2'.");
    invalid("{\"indexingMode\":\"eager\",\"includedPaths\":[]}", "indexingMode must be");
  }

  @Test
  void limitsTheNumberOfPaths() {
    List<String> paths = new ArrayList<>(List.of("/*"));
    for (int i = 1; i < 1500; i++) {
      paths.add("/p" + i + "/?");
    }
    assertThat(IndexingPolicy.of(paths, List.of()).includedPaths()).hasSize(1500);
    paths.add("/\"p1\"/?");
    assertThat(IndexingPolicy.of(paths, List.of()).includedPaths()).hasSize(1500);
    paths.add("/one/?");
    assertThatThrownBy(() -> IndexingPolicy.of(paths, List.of()))
        .hasMessageContaining("includedPaths has 1501 paths");
    assertThatThrownBy(() -> IndexingPolicy.of(List.of(), paths))
        .hasMessageContaining("excludedPaths has 1501 paths");
  }

  @Test
  void rejectsTextThatIsNotAPolicy() {
    invalid("", "must be an object");
    invalid("[", "not JSON");
    invalid("{} {}", "not JSON");
    invalid("{\"automatic\":true,\"automatic\":false}", "line 1, column 31: duplicate property");
    invalid("{\"automatic\":1}", "automatic must be true or false, but is 1.");
    invalid("{\"includedPaths\":[\"/*\"]}", "must be an object, but is '/*'");
    invalid("{\"includedPaths\":[{}]}", "path is missing");
    invalid("{\"includedPaths\":[{\"path\":[]}]}", "path must be a string, but is an array");
    invalid(
        "{\"includedPaths\":[{\"path\":\"/*\",\"pad\":1}]}",
        "'pad', which is not known (expected: indexes, path)");
    invalid("[".repeat(100_000), "not JSON");
    invalid("{\"x" + "x".repeat(10_000) + "\":1}", "xxx…'");
    invalid(" ".repeat(5 << 20), "at most 4194304");
  }

  private static void invalid(String json, String message) {
    assertThatThrownBy(() -> Definitions.parsePolicy(json))
        .isInstanceOf(DocumentException.class)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1000));
  }
}
