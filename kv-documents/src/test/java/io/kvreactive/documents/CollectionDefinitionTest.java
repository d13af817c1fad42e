package io.kvreactive.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CollectionDefinitionTest {
  @Test
  void reportsThePositionOfInvalidJson() {
    String trailingComma = "{\"indexingPolicy\":\n {\"includedPaths\": [{\"path\": \"/*\"},]}}";
    assertThatThrownBy(() -> Definitions.parse(trailingComma))
        .isInstanceOf(DocumentException.class)
        .hasMessageContaining("not JSON at line 2, column 36");
  }

  @Test
  void readsAllMembersAndWritesThemBack() {
    String json =
        """
        {"partitionKey":{"paths":["/tenant"]},"indexingPolicy":%s,"defaultTtl":-1,\
        "uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/email"]},{"paths":["/a","/b/c"]}]},\
        "geospatialConfig":{"type":"Geometry"}}"""
            .formatted(Definitions.toJson(IndexingPolicy.ttlOnly()));
    CollectionDefinition read = Definitions.parse(json);
    assertThat(read)
        .isEqualTo(
            new CollectionDefinition(
                List.of("/tenant"),
                IndexingPolicy.ttlOnly(),
                -1,
                List.of(UniqueKey.of("/email"), UniqueKey.of("/a", "/b/c")),
                GeospatialType.GEOMETRY,
                List.of(),
                List.of()));
    assertThat(Definitions.toJson(read)).isEqualTo(json);
  }

  @Test
  void usesDefaultsForAbsentMembers() {
    assertThat(Definitions.parse("{}")).isEqualTo(CollectionDefinition.DEFAULT);
    assertThat(CollectionDefinition.DEFAULT.defaultTtl()).isNull();
    assertThat(CollectionDefinition.DEFAULT.partitionKey()).isEmpty();
  }

  @Test
  void rejectsModeNoneTogetherWithExpiry() {
    CollectionDefinition none =
        CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.none());
    assertThatThrownBy(() -> none.withDefaultTtl(5)).hasMessageContaining("'none'");
    CollectionDefinition expiring = CollectionDefinition.DEFAULT.withDefaultTtl(-1);
    assertThatThrownBy(() -> expiring.withIndexingPolicy(IndexingPolicy.none()))
        .hasMessageContaining("'none'");
  }

  @Test
  void rejectsReplacementOfMembersFixedAtCreation() {
    CollectionDefinition old =
        CollectionDefinition.DEFAULT
            .withPartitionKey("/pk")
            .withUniqueKeys(UniqueKey.of("/a"), UniqueKey.of("/b"));
    CollectionDefinition.checkReplaceable(
        old,
        old.withUniqueKeys(UniqueKey.of("/b"), UniqueKey.of("/\"a\""))
            .withDefaultTtl(7)
            .withIndexingPolicy(IndexingPolicy.excludeRoot("/x/?")));
    assertNotChangeable(old, old.withPartitionKey("/other"), "partitionKey");
    assertNotChangeable(old, old.withPartitionKey(), "partitionKey");
    assertNotChangeable(old, old.withUniqueKeys(UniqueKey.of("/a")), "uniqueKeyPolicy");
    assertNotChangeable(
        old, old.withUniqueKeys(UniqueKey.of("/a"), UniqueKey.of("/b", "/c")), "uniqueKeyPolicy");
  }

  private static void assertNotChangeable(
      CollectionDefinition old, CollectionDefinition replacement, String member) {
    assertThatThrownBy(() -> CollectionDefinition.checkReplaceable(old, replacement))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.NOT_CHANGEABLE))
        .hasMessageContaining(member);
  }
}
