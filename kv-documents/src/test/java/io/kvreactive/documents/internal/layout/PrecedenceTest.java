package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.TestText;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.path.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which paths a policy indexes, in the layout and in the entries of an item. */
class PrecedenceTest {
  record Row(List<String> included, List<String> excluded, char verdict, String rest) {}

  static Stream<Row> rows() {
    List<Row> rows = new ArrayList<>();
    List<String> included = List.of();
    List<String> excluded = List.of();
    for (String line : TestText.lines("policy/precedence.txt")) {
      List<String> words = List.of(line.trim().split(" +"));
      List<String> rest = words.subList(1, words.size());
      switch (words.get(0)) {
        case "in" -> included = rest;
        case "out" -> excluded = rest;
        case "+", "-", "!" ->
            rows.add(new Row(included, excluded, line.charAt(0), String.join(" ", rest)));
        default -> {}
      }
    }
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void appliesThePrecedenceOfPaths(Row row) {
    if (row.verdict == '!') {
      assertThatThrownBy(() -> IndexingPolicy.of(row.included, row.excluded))
          .hasMessageContaining(row.rest);
      return;
    }
    check(row.included, row.excluded, row.rest, row.verdict == '+');
  }

  /** Checks a policy without a partition key, and with the path as the partition key. */
  static void check(List<String> included, List<String> excluded, String place, boolean indexed) {
    IndexPath path = PathParser.rule(place + "/?").path();
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.of(included, excluded));
    check(definition, path, indexed);
    if (!path.hasElements()) {
      check(definition.withPartitionKey(path.text()), path, indexed);
    }
  }

  private static void check(CollectionDefinition definition, IndexPath path, boolean indexed) {
    IndexLayout layout = IndexLayout.of(definition, name -> 1);
    assertThat(layout.indexesScalar(path)).isEqualTo(indexed);
    JsonNode value = JsonNodeFactory.instance.textNode("v");
    ItemEntries entries = ItemEntries.of(layout, item(path, value), 1);
    KeyRange hit = EntryKeys.of(path).equalTo(List.of(value));
    assertThat(entries.keys().stream().anyMatch(hit::contains)).isEqualTo(indexed);
  }

  /** Returns an item with a single value. */
  private static JsonNode item(IndexPath path, JsonNode value) {
    JsonNode item = value;
    for (int i = path.size() - 1; i >= 0; i--) {
      Step step = path.steps().get(i);
      item =
          step instanceof MemberStep label
              ? JsonNodeFactory.instance.objectNode().set(label.name(), item)
              : JsonNodeFactory.instance.arrayNode().add(item);
    }
    return item;
  }
}
