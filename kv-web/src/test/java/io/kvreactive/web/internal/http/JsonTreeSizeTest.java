package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.SecurityDocument;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTreeSizeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TREES = 20;

  private static String array(int size, String element) {
    return IntStream.range(0, size)
        .mapToObj(i -> element.replace("#", "" + (100_000 + i)))
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** Returns the heap of a tree, as the difference after two garbage collections. */
  private static long measured(String text) throws Exception {
    JsonNode[] trees = new JsonNode[TREES];
    JSON.readTree(text);
    long before = used();
    for (int i = 0; i < TREES; i++) {
      trees[i] = JSON.readTree(text);
    }
    long after = used();
    assertThat(trees).doesNotContainNull();
    return (after - before) / TREES;
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

  /** Allows a tolerance for concurrent allocations of the JVM. */
  @ParameterizedTest
  @ValueSource(
      strings = {
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
        "{\"id\":\"#\",\"n\":#,\"tags\":[\"a\",\"b\"]}"
      })
  void estimatesAtLeastTheSizeOfTrees(String element) throws Exception {
    String text = array(10_000, element);
    long measured = measured(text);
    assumeThat(measured).as("another collector than expected").isPositive();
    assertThat(JsonTreeSize.of(text)).isGreaterThan(measured * 9 / 10);
    assertThat(JsonTreeSize.of(text)).isLessThan(measured * 4 + 1_000_000);
  }

  @Test
  void countsNamesOfManyMembers() throws Exception {
    String text =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "\"k" + i + "\":{}")
            .collect(Collectors.joining(",", "{", "}"));
    assertThat(JsonTreeSize.of(text)).isGreaterThan(measured(text) * 9 / 10);
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
