package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.internal.layout.EntryKeys.ValueBound;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.PathParser;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks all kinds of entries of one item, byte by byte. */
class WorkedExampleTest {
  private static final JsonNode JO = TextNode.valueOf("Jo");
  private static final CollectionDefinition DEFINITION =
      CollectionDefinition.DEFAULT.withIndexingPolicy(
          IndexingPolicy.DEFAULT
              .withIncluded("/city/?")
              .withComposite(CompositePath.ascending("/name"), CompositePath.descending("/age"))
              .withComposite(
                  CompositePath.ascending("/name"), CompositePath.ascending("/children/[]/age")));
  private static final IndexLayout LAYOUT =
      IndexLayout.of(DEFINITION, name -> 1 + IndexLayout.names(DEFINITION).indexOf(name));

  private static ItemEntries entries() throws JsonProcessingException {
    return ItemEntries.of(
        LAYOUT,
        new ObjectMapper()
            .readTree(
                """
                {"id":"a","name":"Jo","age":18,"children":[{"age":3},{"age":25}],
                 "tags":["x","x"],"loc":null,"_etag":"e","_ts":1}"""),
        7);
  }

  /** Returns the values in the keys of a path, without path and document id. */
  private static List<String> values(ItemEntries entries, String path) {
    EntryKeys keys = EntryKeys.of(PathParser.rule(path + "/?").path());
    return values(entries, keys);
  }

  private static List<String> values(ItemEntries entries, EntryKeys keys) {
    return entries.keys().stream()
        .filter(keys.everything()::contains)
        .map(key -> HexFormat.of().formatHex(key, keys.prefix().length, key.length))
        .peek(value -> assertThat(value).endsWith("8107"))
        .map(value -> value.substring(0, value.length() - 4))
        .toList();
  }

  @Test
  void writesRangeEntries() throws JsonProcessingException {
    ItemEntries entries = entries();
    assertThat(values(entries, "/id")).containsExactly("406100");
    assertThat(values(entries, "/name")).containsExactly("404a6f00");
    assertThat(values(entries, "/age")).containsExactly("30c032000000000000");
    assertThat(values(entries, "/children"))
        .singleElement()
        .satisfies(value -> assertThat(value).startsWith("50").hasSize(18));
    assertThat(values(entries, "/children/[]"))
        .hasSize(2)
        .allSatisfy(value -> assertThat(value).startsWith("60").hasSize(18));
    assertThat(values(entries, "/children/[]/age"))
        .containsExactly("30c008000000000000", "30c039000000000000");
    assertThat(values(entries, "/tags/[]")).containsExactly("407800");
    assertThat(values(entries, "/loc")).containsExactly("10");
    assertThat(values(entries, "/city")).containsExactly("05");
    assertThat(values(entries, "/_ts")).containsExactly("30bff0000000000000");
    assertThat(values(entries, "/_etag")).isEmpty();
    assertThat(entries.paths()).hasSize(11).containsKey("/children/[]/age");
    assertThat(entries.overflowed()).isFalse();
  }

  @Test
  void writesCompositeEntries() throws JsonProcessingException {
    ItemEntries entries = entries();
    assertThat(values(entries, EntryKeys.of(LAYOUT.composites().get(0))))
        .containsExactly("404a6f00" + "cf3fcdffffffffffff");
    assertThat(values(entries, EntryKeys.of(LAYOUT.composites().get(1))))
        .containsExactly("404a6f00" + "30c008000000000000", "404a6f00" + "30c039000000000000");
    assertThat(HexFormat.of().formatHex(EntryKeys.of(LAYOUT.composites().get(0)).prefix()))
        .isEqualTo("4380000001");
  }

  @Test
  void swapsBoundsOfADescendingPath() throws JsonProcessingException {
    EntryKeys keys = EntryKeys.of(LAYOUT.composites().get(0));
    KeyRange older = keys.between(List.of(JO), new ValueBound(IntNode.valueOf(10), false), null);
    String start = "4380000001" + "404a6f00";
    assertThat(HexFormat.of().formatHex(older.start())).isEqualTo(start + "cf");
    assertThat(HexFormat.of().formatHex(older.end())).isEqualTo(start + "cf3fdbffffffffffff01");
    assertThat(older.exact()).isTrue();
    assertThat(entries().keys().stream().filter(older::contains)).hasSize(1);
    KeyRange younger = keys.between(List.of(JO), null, new ValueBound(IntNode.valueOf(18), false));
    assertThat(entries().keys().stream().filter(younger::contains)).isEmpty();
  }

  @Test
  void describesPaths() {
    assertThat(LAYOUT.explicit(IndexPath.of("city"))).isTrue();
    assertThat(LAYOUT.explicit(IndexPath.of("name"))).isFalse();
    assertThat(LAYOUT.explicit(IndexPath.of("id"))).isTrue();
    assertThat(LAYOUT.indexesContainer(IndexPath.of("children"))).isTrue();
    assertThat(LAYOUT.indexesScalar(PathParser.tuple("/a/[1]/[]/{b,c}/?").array())).isFalse();
    assertThat(LAYOUT.composites().get(1).hasElements()).isTrue();
    assertThat(IndexLayout.names(DEFINITION))
        .containsExactly(
            "composite /name ascending /age descending",
            "composite /name ascending /children/[]/age ascending");
  }
}
