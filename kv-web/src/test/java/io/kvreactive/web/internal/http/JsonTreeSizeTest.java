package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.SecurityDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

class JsonTreeSizeTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static String array(int size, String element) {
    return IntStream.range(0, size)
        .mapToObj(i -> element.replace("#", "" + (10_000 + i)))
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void estimatesCharactersAndValuesAsDocumented() throws Exception {
    assertThat(JsonTreeSize.of("123") - JsonTreeSize.of("12")).isEqualTo(2);
    assertThat(JsonTreeSize.of("[1,1]") - JsonTreeSize.of("[1]") - 2 * 2).isEqualTo(40);
    assertThat(JsonTreeSize.of("[]") - 2 * 2).isEqualTo(144);
    assertThat(SecurityDocument.document())
        .contains("2 bytes for each character, 40 to 144 for each value");
  }

  @Test
  void estimatesAtLeastTheSizeOfTrees() throws Exception {
    List<String> texts =
        new ArrayList<>(
            Stream.of(
                    "{}",
                    "[]",
                    "[1]",
                    "{\"k\":1}",
                    "{\"k\":{}}",
                    "{\"k#\":{}}",
                    "#",
                    "0.#",
                    "\"#\"",
                    "\"\"",
                    "null",
                    "[[#]]",
                    "{\"a\":{\"b\":{\"c\":\"#\"}}}",
                    "\"a text of some length, #\"",
                    "\"\\u20ac#\"",
                    "{\"id\":\"#\",\"n\":#,\"tags\":[\"a\",\"b\"]}")
                .map(element -> array(1_000, element))
                .toList());
    texts.add(
        IntStream.range(0, 1_000)
            .mapToObj(i -> "\"k" + i + "\":{}")
            .collect(Collectors.joining(",", "{", "}")));
    for (String text : texts) {
      long size = GraphLayout.parseInstance(JSON.readTree(text)).totalSize();
      assertThat(JsonTreeSize.of(text))
          .as(text.substring(0, 50))
          .isGreaterThan(size * 9 / 10)
          .isLessThan(size * 4 + 100_000);
    }
  }

  @Test
  void treatsJsonInsideStringsAsText() {
    String text = "\"" + "[{,:\\\"\\\\".repeat(1000) + "\"";
    assertThat(JsonTreeSize.of(text)).isLessThan(2L * text.length() + 100);
    assertThat(JsonTreeSize.of(text + ",1")).isGreaterThan(JsonTreeSize.of(text) + 10);
  }

  @Test
  void estimatesBytesAndTextAlike() throws Exception {
    String text = JSON.writeValueAsString(Map.of("a", new int[] {1, 2}, "b", "x:,[{"));
    assertThat(JsonTreeSize.of(text.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(JsonTreeSize.of(text));
  }
}
