package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The examples in {@code docs/json.md} are correct. */
class JsonDocumentTest {
  private static final Pattern LAST_CELL = Pattern.compile("\\| .* \\| `(.+)` \\|");
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void writesAndReadsValuesAsDocumented() throws Exception {
    List<String> examples = cells("## Values", "## Keys");
    assertThat(examples).hasSizeGreaterThan(20);
    for (String json : examples) {
      assertThat(KvJson.toJson(KvJson.valueOf(JSON.readTree(json)))).hasToString(json);
    }
  }

  @Test
  void writesAndReadsKeysAsDocumented() throws Exception {
    List<String> examples = cells("## Keys", null);
    assertThat(examples).hasSizeGreaterThan(6);
    for (String json : examples) {
      String plain = KvJson.toJson(KvJson.keyOf(JSON.readTree(json))).toString();
      assertThat(plain).isEqualTo(json);
    }
  }

  @Test
  void writesAndReadsLinesAsDocumented() throws Exception {
    List<String> lines = section("# Keys", "## Values").filter(l -> l.startsWith("{")).toList();
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      assertThat(KvJson.print(KvJson.parse(line))).isEqualTo(line);
    }
  }

  private static List<String> cells(String from, String to) throws Exception {
    return section(from, to)
        .map(LAST_CELL::matcher)
        .filter(Matcher::matches)
        .map(row -> row.group(1))
        .toList();
  }

  private static Stream<String> section(String from, String to) throws Exception {
    List<String> document = Files.readAllLines(Path.of("..", "docs", "json.md"));
    int start = to == null || from.startsWith("##") ? document.indexOf(from) : 0;
    return document.subList(start, to == null ? document.size() : document.indexOf(to)).stream();
  }
}
