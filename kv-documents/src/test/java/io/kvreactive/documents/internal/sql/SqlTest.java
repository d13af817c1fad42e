package io.kvreactive.documents.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlTest {
  private static Expr expr(String text) {
    return Sql.parse("SELECT VALUE " + text).select().items().get(0).expr();
  }

  private static JsonNode constant(String text) {
    return ((Expr.Constant) expr(text)).value();
  }

  /** Expressions and their grouping in parentheses. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          a + b * c                         ; a + (b * c)
          a - b - c                         ; (a - b) - c
          a % b / c * d                     ; ((a % b) / c) * d
          c.grade ^ 4 = 1                   ; (c.grade ^ 4) = 1
          a | b ^ c & d                     ; a | (b ^ (c & d))
          a & b << 1 + 2                    ; a & (b << (1 + 2))
          a || b + c = d                    ; (a || (b + c)) = d
          a >>> 1 >> 2                      ; (a >>> 1) >> 2
          NOT a AND b OR c                  ; ((NOT a) AND b) OR c
          NOT a = b AND c OR d              ; (((NOT a) = b) AND c) OR d
          NOT (a = b)                       ; NOT (a = b)
          true = NOT(false)                 ; true = (NOT false)
          -NOT true                         ; -(NOT true)
          NOT -a                            ; NOT (-a)
          NOT a.b                           ; NOT a.b
          NOT a + b                         ; (NOT a) + b
          a = NOT b != c                    ; (a = (NOT b)) != c
          a = b = c                         ; (a = b) = c
          a < b <= c > d >= e               ; (((a < b) <= c) > d) >= e
          a = b != c = d                    ; ((a = b) != c) = d
          a > b = false                     ; (a > b) = false
          false = a > b                     ; false = (a > b)
          c.a > 50 = @flag                  ; (c.a > 50) = @flag
          1 = 2 & 3 != 4                    ; (1 = (2 & 3)) != 4
          a + b < c * d <= e - f            ; ((a + b) < (c * d)) <= (e - f)
          a > b = false AND a > b != true   ; ((a > b) = false) AND ((a > b) != true)
          a AND b | c AND d                 ; a AND (b | c) AND d
          a OR b AND c OR d                 ; a OR (b AND c) OR d
          a || b OR c || d                  ; (a || b) OR (c || d)
          a ? b : c + d                     ; a ? b : c + d
          a ?? b ?? c                       ; a ?? b ?? c
          a = b ?? c                        ; (a = b) ?? c
          a AND b ?? c ? d : e              ; ((a AND b) ?? c) ? d : e
          a = b IN (c)                      ; (a = b) IN (c)
          NOT a IN (b)                      ; (NOT a) IN (b)
          NOT a LIKE b                      ; (NOT a) LIKE b
          NOT a BETWEEN b AND c             ; (NOT a) BETWEEN b AND c
          a + 1 BETWEEN b AND c OR d        ; ((a + 1) BETWEEN b AND c) OR d
          a IN (b) AND c NOT IN (d) OR e    ; ((a IN (b)) AND (c NOT IN (d))) OR e
          NOT NOT a                         ; NOT (NOT a)
          a ?? b OR c                       ; a ?? (b OR c)
          a ? b : c ? d : e                 ; a ? b : c ? d : e
          a ?? b ? c : d                    ; (a ?? b) ? c : d
          a BETWEEN 1 AND 2 AND c           ; (a BETWEEN 1 AND 2) AND c
          a not between b + 1 and 2 or c    ; (a NOT BETWEEN (b + 1) AND 2) OR c
          a IN (1, b, (2))                  ; a IN (1, b, 2)
          NOT a NOT IN ('x')                ; (NOT a) NOT IN ("x")
          a LIKE 'x%' ESCAPE '!' AND b      ; (a LIKE "x%" ESCAPE "!") AND b
          a NOT LIKE b || 'x'               ; a NOT LIKE (b || "x")
          a <> b                            ; a != b
          -a.b + ~c[0]                      ; (-a.b) + (~c[0])
          - + a                             ; -(+a)
          -(5)                              ; -(5)
          (a)                               ; a
          c["x"]['y z'].z                   ; c.x["y z"].z
          c["value"]                        ; c["value"]
          c.order.group.true                ; c.order.group.true
          {x: 1, 'y z': 2, "value": 3}      ; {"x": 1, "y z": 2, "value": 3}
          {}.x                              ; {}.x
          [1, [], {}][0]                    ; [1, [], {}][0]
          abs ( -1 )                        ; ABS(-1)
          PI()                              ; PI()
          @p.x[@i]                          ; @p.x[@i]
          (SELECT VALUE 1)                  ; (SELECT VALUE 1)
          exists(SELECT *)                  ; EXISTS(SELECT *)
          Array(SELECT a.b)                 ; ARRAY(SELECT a.b)
          ALL(SELECT VALUE a)               ; ALL(SELECT VALUE a)
          first(SELECT VALUE a)             ; FIRST(SELECT VALUE a)
          LAST(SELECT VALUE a)              ; LAST(SELECT VALUE a)
          """)
  void groupsExpressionsByPrecedence(String text, String printed) {
    assertThat(SqlPrinter.print(expr(text))).isEqualTo(printed);
  }

  @Test
  void parsesChainsToTheSameTree() {
    Expr flat = expr("a AND b AND c AND d AND e");
    assertThat(expr("(a AND (b AND c)) AND (d AND e)")).isEqualTo(flat);
    assertThat(expr("((((a) AND b) AND c) AND d) AND e")).isEqualTo(flat);
    assertThat(SqlPrinter.print(flat)).isEqualTo("a AND b AND c AND d AND e");
    assertThat(expr("a || (b || c)")).isEqualTo(expr("a || b || c"));
    assertThat(expr("a + (b + c)")).isNotEqualTo(expr("a + b + c"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT * FROM c                                  ; SELECT * FROM c
          select distinct top 3 value c from Families c    ; SELECT DISTINCT TOP 3 VALUE c FROM Families AS c
          SELECT c.a, c.b AS x, c.d y FROM c               ; SELECT c.a, c.b AS x, c.d AS y FROM c
          SELECT c.a AS order FROM c                       ; SELECT c.a AS order FROM c
          SELECT x FROM x IN c.children                    ; SELECT x FROM x IN c.children
          SELECT * FROM root.a["b c"][2] z                 ; SELECT * FROM root.a["b c"][2] AS z
          SELECT * FROM c.children                         ; SELECT * FROM c.children
          SELECT * FROM c JOIN x IN c.a JOIN x.b AS y      ; SELECT * FROM c JOIN x IN c.a JOIN x.b AS y
          SELECT * FROM (SELECT * FROM c) AS s             ; SELECT * FROM (SELECT * FROM c) AS s
          SELECT * FROM c JOIN (SELECT VALUE 1)            ; SELECT * FROM c JOIN (SELECT VALUE 1)
          SELECT * FROM c JOIN x IN (SELECT VALUE [1])     ; SELECT * FROM c JOIN x IN (SELECT VALUE [1])
          SELECT c.a FROM c WHERE c.a=1 GROUP BY c.a, c.b  ; SELECT c.a FROM c WHERE c.a = 1 GROUP BY c.a, c.b
          SELECT * FROM c ORDER BY c.a, c.b DESC, c.d asc  ; SELECT * FROM c ORDER BY c.a ASC, c.b DESC, c.d ASC
          SELECT * FROM c OFFSET 5 LIMIT @n                ; SELECT * FROM c OFFSET 5 LIMIT @n
          SELECT TOP @n * FROM c                           ; SELECT TOP @n * FROM c
          """)
  void parsesClausesOfQueries(String text, String printed) {
    assertThat(SqlPrinter.print(Sql.parse(text))).isEqualTo(printed);
  }

  @Test
  void ignoresCommentsAndBlanks() {
    assertThat(Sql.parse("-- of what\nSELECT\t* --all\r\nFROM c -- end"))
        .isEqualTo(Sql.parse("SELECT * FROM c"));
  }

  @Test
  void keepsIntegersOf64Bits() {
    assertThat(constant("9223372036854775807")).isEqualTo(Values.number(Long.MAX_VALUE));
    assertThat(constant("-9223372036854775808")).isEqualTo(Values.number(Long.MIN_VALUE));
    assertThat(constant("9007199254740993").longValue()).isEqualTo(9007199254740993L);
    assertThat(constant("18446744073709551615").isDouble()).isTrue();
    assertThat(constant("18446744073709551615").doubleValue()).isEqualTo(0x1p64);
    assertThat(constant("0xFf")).isEqualTo(Values.number(255));
    assertThat(constant("1.5e3")).isEqualTo(Values.number(1500));
    assertThat(constant(".5")).isEqualTo(Values.number(0.5));
    assertThat(constant("-1e-9")).isEqualTo(Values.number(-1e-9));
    assertThat(constant("1e999").doubleValue()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(constant("-Infinity").doubleValue()).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(constant("NaN").doubleValue()).isNaN();
  }

  @Test
  void parsesEscapesInStrings() {
    assertThat(constant("'it\\'s'").textValue()).isEqualTo("it's");
    assertThat(constant("\"it's \\\"so\\\"\"").textValue()).isEqualTo("it's \"so\"");
    assertThat(constant("'\\b\\f\\n\\r\\t\\/\\\\\\u00e5'").textValue()).isEqualTo("\b\f\n\r\t/\\å");
    assertThat(constant("'two\nlines 😀'").textValue()).isEqualTo("two\nlines 😀");
    assertThat(constant("'-- no comment'").textValue()).isEqualTo("-- no comment");
  }

  @Test
  void distinguishesCaseInValueKeywords() {
    assertThat(constant("true")).isEqualTo(Values.TRUE);
    assertThat(constant("null")).isEqualTo(Values.NULL);
    assertThat(constant("undefined")).isEqualTo(Values.UNDEFINED);
    assertThat(expr("TRUE")).isInstanceOf(Expr.Identifier.class);
    assertThat(expr("Null")).isInstanceOf(Expr.Identifier.class);
    assertThat(expr("infinity")).isInstanceOf(Expr.Identifier.class);
  }

  @Test
  void namesSourcesByTheirLastLabel() {
    List<Source> from = Sql.parse("SELECT 1 FROM c.a['b'][0] JOIN (SELECT 1) JOIN ROOT").from();
    assertThat(from).extracting(Source::alias).containsExactly("b", null, "ROOT");
    assertThat(((Source.Path) from.get(0)).steps()).containsExactly("a", "b", 0);
    Query query = Sql.parse("SELECT VALUE x FROM x IN c");
    assertThat(query.select().kind()).isEqualTo(SelectKind.VALUE);
    assertThat(((Source.Path) query.from().get(0)).each()).isTrue();
  }

  @Test
  void keepsPositionsOfTheText() {
    String text = "SELECT '😀', c.name AS n FROM c WHERE NOT (c.a > 1 + 2)";
    Query query = Sql.parse(text);
    assertThat(place(text, query.select().items().get(1).expr())).isEqualTo("c.name");
    Expr.Unary not = (Expr.Unary) query.where();
    assertThat(place(text, not)).isEqualTo("NOT (c.a > 1 + 2)");
    assertThat(place(text, ((Expr.Binary) not.operand()).right())).isEqualTo("1 + 2");
  }

  private static String place(String text, Expr expr) {
    return text.substring(expr.span().start(), expr.span().end());
  }
}
