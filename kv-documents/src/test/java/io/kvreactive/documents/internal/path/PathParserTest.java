package io.kvreactive.documents.internal.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.TestText;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PathParserTest {
  private static final Pattern ROW = Pattern.compile("(\\w+) +(\\+|\\d+)(?: +(.*))?");

  record Row(String list, String verdict, String text) {}

  static Stream<Row> rows() {
    return TestText.lines("policy/paths.txt").stream()
        .map(ROW::matcher)
        .filter(Matcher::matches)
        .map(row -> new Row(row.group(1), row.group(2), row.group(3) == null ? "" : row.group(3)));
  }

  static Object parse(String list, String text) {
    return switch (list) {
      case "included" -> PathParser.included(text);
      case "excluded" -> PathParser.excluded(text);
      case "composite" -> PathParser.composite(text);
      case "vector" -> PathParser.property(text);
      case "spatial" -> PathParser.rule(text);
      default -> throw new IllegalArgumentException(list);
    };
  }

  @ParameterizedTest
  @MethodSource("rows")
  void acceptsPathsOrReportsThePosition(Row row) {
    if (row.verdict.equals("+")) {
      assertThat(parse(row.list, row.text)).isNotNull();
      return;
    }
    DocumentException failure =
        catchThrowableOfType(DocumentException.class, () -> parse(row.list, row.text));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(DocumentErrorCode.INVALID_PATH);
    assertThat(failure)
        .hasMessageContaining("The indexing path '" + row.text + "' could not be accepted")
        .hasMessageContaining("near position '" + row.verdict + "'");
  }

  @Example
  void quotesOnlyWhereNecessary() {
    assertThat(PathParser.included("/\"a_1\"/\"a b\"/\"7\"/[]/\"\"/*").text())
        .isEqualTo("/a_1/\"a b\"/\"7\"/[]/\"\"/*");
    assertThat(PathParser.included("/").text()).isEqualTo("/*");
    assertThat(PathParser.included("/e/[]/{ \"a\"  ,b/[2]\t}/?").text())
        .isEqualTo("/e/[]/{a, b/[2]}/?");
    assertThat(PathParser.composite("/\"a\\\"\\\\\\/\\u0041\\n\"").text())
        .isEqualTo("/\"a\\\"\\\\/A\\u000a\"");
    assertThat(PathParser.included("/\"{\"/?")).isEqualTo(new PathRule(IndexPath.of("{"), false));
  }

  @Example
  void limitsLengthDepthAndMembers() {
    assertThatThrownBy(() -> PathParser.rule("/" + "a".repeat(2000) + "/?"))
        .hasMessageContaining("at most 1024 characters")
        .hasMessageContaining("…");
    assertThatThrownBy(() -> PathParser.rule("/a".repeat(129) + "/?"))
        .hasMessageContaining("at most 128 steps");
    assertThat(PathParser.rule("/a".repeat(128) + "/?").path().size()).isEqualTo(128);
    assertThatThrownBy(() -> PathParser.tuple("/e/[]/{a,b,c,d,e,f,g,h,i}/?"))
        .hasMessageContaining("at most 8 members");
    // Raw control characters are one character each here, six in the canonical form.
    assertThatThrownBy(() -> PathParser.rule("/\"" + "\u0001".repeat(500) + "\"/?"))
        .hasMessageContaining("canonical form");
  }

  @Property(tries = 5_000)
  void failsOnlyWithInvalidPath(@ForAll("texts") String text) {
    for (String list : List.of("included", "excluded", "composite", "vector")) {
      Object path;
      try {
        path = parse(list, text);
      } catch (DocumentException e) {
        assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_PATH);
        continue;
      }
      String canonical =
          path instanceof IncludedPath included ? included.text() : ((IndexPath) path).text();
      assertThat(parse(list, canonical)).isEqualTo(path);
    }
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> tokens =
        Arbitraries.of(
            "/",
            "/",
            "/",
            "a",
            "b_1",
            "0",
            "[]",
            "[3]",
            "[99999999999]",
            "{",
            "}",
            ",",
            " ",
            "?",
            "*",
            "\"",
            "\"a b\"",
            "\\",
            "\\u12",
            "\\ud800",
            "é",
            "\0",
            "-",
            "/[]/{a, b}/?");
    return tokens.list().ofMaxSize(9).map(list -> String.join("", list));
  }
}
