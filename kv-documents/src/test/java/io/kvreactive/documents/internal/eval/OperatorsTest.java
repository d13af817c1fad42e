package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Evaluates each expression over constants, which are folded, and over the members of an item. */
class OperatorsTest {
  private static final String ITEM =
      """
      [{"t": true, "f": false, "z": null, "one": 1, "two": 2, "s": "ab", "e": "",
        "arr": [1, "x", null], "obj": {"a": {"b": 5}, "x y": 6}}]
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          t AND t ; true
          t AND f ; false
          f AND u ; false
          u AND f ; false
          t AND u ; undefined
          one AND t ; undefined
          one AND f ; false
          u OR t ; true
          f OR u ; undefined
          f OR f ; false
          s OR f ; undefined
          t AND t AND t AND u ; undefined
          t AND t AND f AND u ; false
          NOT t ; false
          NOT f ; true
          NOT z ; undefined
          NOT u ; undefined
          NOT NOT t ; true
          z ?? one ; null
          u ?? u ?? one ; 1
          u ?? u ; undefined
          t ? one : two ; 1
          one ? one : two ; 2
          u ? one : two ; 2
          f ? one : u ; undefined
          one = 1.0 ; true
          one = s ; false
          one != s ; true
          u = u ; undefined
          u != one ; undefined
          z = z ; true
          arr = [1, "x", null] ; true
          arr = [1, "x"] ; false
          obj = {"x y": 6, "a": {"b": 5.0}} ; true
          one < two ; true
          s < one ; undefined
          f < t ; true
          z <= z ; true
          z < one ; undefined
          arr < arr ; undefined
          "B" < "a" ; true
          two >= 2 ; true
          one BETWEEN 0 AND two ; true
          one NOT BETWEEN 0 AND two ; false
          two BETWEEN 0 AND one ; false
          one BETWEEN 0 AND s ; undefined
          one BETWEEN two AND s ; false
          one IN (2, 3, one) ; true
          one IN (2, "1") ; false
          one NOT IN (2) ; true
          u IN (1) ; undefined
          u NOT IN (1) ; undefined
          one IN (u) ; false
          arr IN ([], [1, "x", null]) ; true
          one IN (1.0, 2) ; true
          s LIKE "a%" ; true
          s LIKE "A%" ; false
          s NOT LIKE "_b" ; false
          one LIKE "1" ; undefined
          s LIKE one ; undefined
          "5%" LIKE "%!%" ESCAPE "!" ; true
          s LIKE e || "%" ; true
          one + two * 2 ; 5
          7 - two - one ; 4
          7 % 4 ; 3
          -7 % 4 ; -3
          one / 0 = Infinity ; true
          one + s ; undefined
          one + z ; undefined
          -one ; -1
          - s ; undefined
          + two ; 2
          + s ; undefined
          0.1 + 0.2 ; 0.30000000000000004
          s || "c" || s ; `"abcab"`
          s || one ; undefined
          100 >> two ; 25
          100 << two ; 400
          -1 >>> 0 ; 4294967295
          -1 >> one ; -1
          100 & 1000 ; 96
          100 | 1000 ; 1004
          100 ^ 1000 ; 908
          ~ one ; -2
          1.9 | 0 ; 1
          4294967297 | 0 ; 1
          1e300 & -1 ; 0
          Infinity | 5 ; 5
          one << s ; undefined
          obj.a.b ; 5
          obj["x y"] ; 6
          obj["x" || " y"] ; 6
          obj.a.c ; undefined
          obj.a.b.c ; undefined
          z.a ; undefined
          arr[0] ; 1
          arr[1] ; `"x"`
          arr[3] ; undefined
          arr[-1] ; undefined
          arr[0.5] ; undefined
          arr[one] ; `"x"`
          arr["0"] ; undefined
          arr.length ; undefined
          obj[0] ; undefined
          s[0] ; undefined
          [one, u, two] ; [1,2]
          {"a": one, "b": u} ; `{"a":1}`
          {"a": one}.a ; 1
          [one, two][1] ; 2
          """)
  void evaluatesOperators(String expr, String expected) {
    String constants =
        expr.replaceAll("\\bobj\\b", "{\"a\": {\"b\": 5}, \"x y\": 6}")
            .replaceAll("\\barr\\b", "[1, \"x\", null]")
            .replaceAll("\\bt\\b", "true")
            .replaceAll("\\bf\\b", "false")
            .replaceAll("\\bz\\b", "null")
            .replaceAll("\\bu\\b", "undefined")
            .replaceAll("\\bone\\b", "1")
            .replaceAll("\\btwo\\b", "2")
            .replaceAll("\\bs\\b", "\"ab\"")
            .replaceAll("\\be\\b", "\"\"");
    String members =
        expr.replaceAll("(?<![\".\\w])(t|f|z|u|one|two|s|e|arr|obj)\\b(?!\":)", "c.$1");
    assertThat(text(Answers.value(constants))).as(constants).isEqualTo(expected);
    assertThat(text(ofItem(members))).as(members).isEqualTo(expected);
  }

  private static JsonNode ofItem(String expr) {
    List<JsonNode> rows = Answers.of("SELECT VALUE " + expr + " FROM c", ITEM);
    return rows.isEmpty() ? Values.UNDEFINED : rows.get(0);
  }

  private static String text(JsonNode value) {
    return value.isMissingNode() ? "undefined" : value.toString();
  }
}
