package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.SecurityDocument;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JsonTreeSizeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int COPIES = 10;

  private static String array(int size, String element) {
    return IntStream.range(0, size)
        .mapToObj(i -> element.replace("#", "" + (100_000 + i)))
        .collect(Collectors.joining(",", "[", "]"));
  }

  /**
   * Returns the heap of the tree of each text, from the differences between garbage collections.
   * Parses each text {@link #COPIES} times, so that what other threads release or take meanwhile is
   * a small part of the difference.
   */
  private static long[] measured(List<String> texts) throws Exception {
    for (String text : texts) {
      JSON.readTree(text);
    }
    long[] measured = new long[texts.size()];
    long before = used();
    for (int i = 0; i < measured.length; i++) {
      List<JsonNode> trees = new ArrayList<>(COPIES);
      for (int copy = 0; copy < COPIES; copy++) {
        trees.add(JSON.readTree(texts.get(i)));
      }
      measured[i] = (used() - before) / COPIES;
      assertThat(trees).doesNotContainNull();
    }
    return measured;
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void estimatesCharactersAndValuesAsDocumented() throws Exception {
    assertThat(JsonTreeSize.of("123") - JsonTreeSize.of("12")).isEqualTo(2);
    assertThat(JsonTreeSize.of("[1,1]") - JsonTreeSize.of("[1]") - 2 * 2).isEqualTo(40);
    assertThat(JsonTreeSize.of("[]") - 2 * 2).isEqualTo(144);
    assertThat(SecurityDocument.document())
        .contains("2 bytes for each character, 40 to 144 for each value");
  }

  /**
   * Allows a tolerance for concurrent allocations of the JVM. Takes the median of three
   * measurements, because other threads may release or take memory during one.
   */
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
                .map(element -> array(10_000, element))
                .toList());
    texts.add(
        IntStream.range(0, 10_000)
            .mapToObj(i -> "\"k" + i + "\":{}")
            .collect(Collectors.joining(",", "{", "}")));
    List<long[]> rounds = List.of(measured(texts), measured(texts), measured(texts));
    long[] measured = new long[texts.size()];
    for (int i = 0; i < measured.length; i++) {
      int text = i;
      measured[i] = rounds.stream().mapToLong(round -> round[text]).sorted().toArray()[1];
    }
    for (int i = 0; i < measured.length; i++) {
      String text = texts.get(i);
      assumeThat(measured[i]).as("another collector than expected").isPositive();
      assertThat(JsonTreeSize.of(text))
          .as(text.substring(0, 50))
          .isGreaterThan(measured[i] * 9 / 10)
          .isLessThan(measured[i] * 4 + 1_000_000);
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
