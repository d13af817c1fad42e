package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import io.kvreactive.documents.internal.path.IndexPath;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Tests of the entries of composite, tuple and unique indexes, and of the limits of all entries.
 */
class RowEntriesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static IndexLayout layout(IndexingPolicy policy) {
    return IndexLayout.of(CollectionDefinition.DEFAULT.withIndexingPolicy(policy), name -> 1);
  }

  private static IndexLayout composite(String... paths) {
    CompositePath[] parts =
        Arrays.stream(paths).map(CompositePath::ascending).toArray(CompositePath[]::new);
    return layout(IndexingPolicy.ttlOnly().withComposite(parts));
  }

  private static IndexLayout tuple(String path) {
    return layout(IndexingPolicy.ttlOnly().withIncluded(path));
  }

  /** Returns the rows of the only composite or tuple index, in order. */
  private static List<String> rows(IndexLayout layout, String item) throws JsonProcessingException {
    EntryKeys keys =
        layout.tuples().isEmpty()
            ? EntryKeys.of(layout.composites().get(0))
            : EntryKeys.of(layout.tuples().get(0));
    return ItemEntries.of(layout, JSON.readTree(item), 5).keys().stream()
        .filter(keys.all()::contains)
        .map(keys::read)
        .peek(entry -> assertThat(entry.docId()).isEqualTo(5))
        .map(
            entry ->
                entry.values().stream()
                    .map(value -> value.tag() == 5 ? "-" : value.value().toString())
                    .collect(Collectors.joining(" ")))
        .toList();
  }

  @Test
  void createsACompositeEntryForItemsWithoutThePaths() throws JsonProcessingException {
    IndexLayout layout = composite("/a", "/b/c");
    assertThat(rows(layout, "{}")).containsExactly("- -");
    assertThat(rows(layout, "{\"a\":1,\"b\":[{\"c\":2}]}")).containsExactly("1 -");
    assertThat(rows(layout, "{\"a\":null,\"b\":{\"c\":\"x\"}}")).containsExactly("null \"x\"");
  }

  @Test
  void takesTheSameElementForPathsThroughOneArray() throws JsonProcessingException {
    IndexLayout layout = composite("/n", "/ch/[]/age", "/ch/[]/sex");
    assertThat(
            rows(
                layout,
                "{\"n\":1,\"ch\":[{\"age\":9,\"sex\":1},{\"age\":8},{\"sex\":2},{\"age\":8}]}"))
        .containsExactly("1 - 2", "1 8 -", "1 9 1");
    assertThat(rows(layout, "{\"n\":1,\"ch\":[]}")).containsExactly("1 - -");
    assertThat(rows(layout, "{\"n\":1,\"ch\":{\"age\":9}}")).containsExactly("1 - -");
  }

  @Test
  void combinesElementsOfDifferentArrays() throws JsonProcessingException {
    assertThat(rows(composite("/a/[]", "/b/[]"), "{\"a\":[1,2],\"b\":[3,4]}"))
        .containsExactly("1 3", "1 4", "2 3", "2 4");
    assertThat(
            rows(composite("/a/[]/x", "/a/[]/b/[]"), "{\"a\":[{\"x\":1,\"b\":[5,6]},{\"x\":2}]}"))
        .containsExactly("1 5", "1 6", "2 -");
  }

  @Test
  void takesMembersOfOneElementForATuple() throws JsonProcessingException {
    IndexLayout layout = tuple("/e/[]/{name, to/[1]}/?");
    assertThat(
            rows(
                layout,
                "{\"e\":[{\"name\":\"x\",\"to\":[7,8]},{\"name\":\"y\"},{\"name\":\"x\",\"to\":[0,8]}]}"))
        .containsExactly("\"x\" 8", "\"y\" -");
    assertThat(rows(layout, "{}")).containsExactly("- -");
    assertThat(rows(layout, "{\"e\":[]}")).containsExactly("- -");
    assertThat(rows(layout, "{\"e\":{\"name\":\"x\"}}")).containsExactly("- -");
    assertThat(rows(layout, "{\"e\":[5]}")).containsExactly("- -");
    assertThat(rows(tuple("/e/[]/{[1], [0]}/?"), "{\"e\":[[1,2],[3,4]]}"))
        .containsExactly("2 1", "4 3");
    assertThat(rows(tuple("/c/[1]/e/[]/{a,b}/?"), "{\"c\":[0,{\"e\":[{\"a\":1,\"b\":2}]}]}"))
        .containsExactly("1 2");
  }

  @Test
  void ignoresRangePathsForTupleAndComposite() throws JsonProcessingException {
    IndexLayout layout =
        layout(
            IndexingPolicy.includeRoot("/e/*")
                .withComposite(CompositePath.ascending("/e"), CompositePath.ascending("/f")));
    assertThat(rows(layout, "{\"e\":1,\"f\":2}")).containsExactly("1 2");
  }

  @Test
  void createsOneOverflowEntryForTooManyRows() throws JsonProcessingException {
    IndexLayout layout = composite("/a/[]", "/b/[]");
    ObjectNode item = JSON.createObjectNode();
    numbers(item.putArray("a"), 25);
    numbers(item.putArray("b"), 40);
    assertThat(rows(layout, item.toString())).hasSize(1000);
    item.withArray("b").add(40);
    ItemEntries entries = ItemEntries.of(layout, item, 5);
    EntryKeys keys = EntryKeys.of(layout.composites().get(0));
    assertThat(entries.overflowed()).isTrue();
    assertThat(rows(layout, item.toString())).isEmpty();
    List<byte[]> overflow = entries.keys().stream().filter(keys.overflow()::contains).toList();
    assertThat(overflow)
        .singleElement()
        .satisfies(key -> assertThat(keys.everything().contains(key)).isTrue());
    assertThat(keys.read(overflow.get(0))).isEqualTo(new DecodedEntry(List.of(), 5));
  }

  @Test
  void createsUniqueKeysWithPartitionAndNullForMissingValues() throws JsonProcessingException {
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT
            .withIndexingPolicy(IndexingPolicy.none())
            .withPartitionKey("/pk")
            .withUniqueKeys(UniqueKey.of("/a", "/b/c"));
    IndexLayout layout = IndexLayout.of(definition, name -> 3);
    byte[] key = unique(layout, "{\"pk\":1,\"a\":2}");
    assertThat(unique(layout, "{\"pk\":1.0,\"a\":2,\"b\":{\"c\":null}}")).isEqualTo(key);
    assertThat(unique(layout, "{\"pk\":2,\"a\":2}")).isNotEqualTo(key);
    assertThat(unique(layout, "{\"a\":2}")).isNotEqualTo(key);
    assertThat(unique(layout, "{\"pk\":1,\"a\":[{\"x\":1,\"y\":2}]}"))
        .isEqualTo(unique(layout, "{\"pk\":1,\"a\":[{\"y\":2,\"x\":1}]}"))
        .isNotEqualTo(unique(layout, "{\"pk\":1,\"a\":[{\"y\":1,\"x\":2}]}"));
    ItemEntries none = ItemEntries.of(layout, JSON.readTree("{\"id\":\"x\"}"), 1);
    assertThat(none.keys()).isEmpty();
    assertThat(none.unique()).hasSize(1);
  }

  private static byte[] unique(IndexLayout layout, String item) throws JsonProcessingException {
    return ItemEntries.of(layout, JSON.readTree(item), 1).unique().get(0).key();
  }

  @Test
  void limitsKeysOfHostileStrings() {
    String[] paths = new String[8];
    UniqueKey unique = UniqueKey.of("/f0", "/f1", "/f2", "/f3", "/f4", "/f5", "/f6", "/f7");
    ObjectNode item = JSON.createObjectNode();
    ObjectNode element = JSON.createObjectNode();
    CompositePath[] parts = new CompositePath[8];
    for (int i = 0; i < 8; i++) {
      paths[i] = "f" + i;
      parts[i] =
          i % 2 == 0 ? CompositePath.ascending("/f" + i) : CompositePath.descending("/f" + i);
      String text = (i % 3 == 0 ? "\0" : i % 3 == 1 ? "\uffff" : "\u0001").repeat(200_000);
      item.put("f" + i, text);
      element.put("f" + i, text);
    }
    item.putArray("e").add(element);
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT
            .withIndexingPolicy(
                IndexingPolicy.DEFAULT
                    .withIncluded("/e/[]/{" + String.join(",", paths) + "}/?")
                    .withComposite(parts))
            .withPartitionKey("/f0", "/f3", "/f6")
            .withUniqueKeys(unique);
    ItemEntries entries =
        ItemEntries.of(IndexLayout.of(definition, name -> 0x7fffffff), item, Long.MAX_VALUE);
    assertThat(entries.keys()).hasSizeGreaterThan(10);
    entries.keys().forEach(RowEntriesTest::fits);
    fits(entries.unique().get(0).key());
  }

  private static void fits(byte[] key) {
    int cost = key.length;
    for (byte b : key) {
      cost += b == 0 ? 1 : 0;
    }
    assertThat(cost).isLessThan(1640);
  }

  @Test
  void rejectsItemsWithTooManyPathsOrEntries() {
    IndexLayout layout = layout(IndexingPolicy.DEFAULT);
    ObjectNode names = JSON.createObjectNode();
    for (int i = 0; i <= ItemEntries.MAX_PATHS; i++) {
      names.put("n" + i, i);
    }
    assertRejected(
        layout, names, DocumentErrorCode.LIMIT_EXCEEDED, "10000 different indexed paths");
    ObjectNode values = JSON.createObjectNode();
    numbers(values.putArray("v"), ItemEntries.MAX_ENTRIES + 1);
    assertRejected(layout, values, DocumentErrorCode.LIMIT_EXCEEDED, "40000 index entries");
    ObjectNode equal = JSON.createObjectNode();
    ArrayNode many = equal.putArray("v");
    for (int i = 0; i < 4 * ItemEntries.MAX_ENTRIES; i++) {
      many.add(i % 10);
    }
    assertThat(ItemEntries.of(layout, equal, 1).keys()).hasSize(11);
    JsonNode deep = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < 100_000; i++) {
      deep = JsonNodeFactory.instance.arrayNode().add(deep);
    }
    ObjectNode item = JSON.createObjectNode();
    item.set("d", deep);
    assertRejected(layout, item, DocumentErrorCode.ITEM_TOO_LARGE, "deeper than 512");
  }

  private static void assertRejected(
      IndexLayout layout, JsonNode item, DocumentErrorCode code, String message) {
    assertThatThrownBy(() -> ItemEntries.of(layout, item, 1))
        .isInstanceOfSatisfying(DocumentException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void createsNoRangeEntriesForLongNames() {
    IndexLayout layout = layout(IndexingPolicy.DEFAULT);
    ObjectNode item = JSON.createObjectNode();
    item.put("n".repeat(2000), 1);
    item.put("m".repeat(1000), 1);
    assertThat(ItemEntries.of(layout, item, 1).keys()).hasSize(1);
    assertThat(layout.indexesScalar(path("n".repeat(2000)))).isFalse();
    assertThat(layout.indexesScalar(path("m".repeat(1000)))).isTrue();
  }

  @Test
  void indexesMoreNamesThanItCaches() {
    IndexLayout layout = layout(IndexingPolicy.DEFAULT);
    for (int i = 0; i < 3 * PathNode.MAX_KEPT; i += 50) {
      ObjectNode item = JSON.createObjectNode();
      for (int j = 0; j < 50; j++) {
        item.putObject("n" + (i + j)).putArray("a").add(1);
      }
      assertThat(ItemEntries.of(layout, item, 1).keys()).hasSize(150);
    }
  }

  private static IndexPath path(String name) {
    return IndexPath.of(name);
  }

  private static void numbers(ArrayNode array, int count) {
    for (int i = 0; i < count; i++) {
      array.add(i);
    }
  }
}
