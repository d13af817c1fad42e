package io.kvreactive.documents.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Values;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryBinderTest {
  private static final Map<String, JsonNode> PARAMETERS =
      Map.of(
          "text", Values.text("b"),
          "@n", Values.number(2),
          "list", JsonNodeFactory.instance.arrayNode().add(1));

  private static Query bind(String text) {
    return QueryBinder.bind(Sql.parse(text), PARAMETERS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT * FROM Families            ; SELECT * FROM ROOT AS Families
          SELECT * FROM root r              ; SELECT * FROM ROOT AS r
          SELECT VALUE c FROM c.a AS c      ; SELECT VALUE c FROM ROOT.a AS c
          SELECT VALUE x FROM x IN c.a      ; SELECT VALUE x FROM x IN ROOT.a
          SELECT VALUE x FROM c JOIN x IN c.a JOIN ROOT.b ; SELECT VALUE x FROM ROOT AS c JOIN x IN c.a JOIN ROOT.b
          SELECT * FROM (SELECT * FROM c) s ; SELECT * FROM (SELECT * FROM ROOT AS c) AS s
          SELECT VALUE c[@text] FROM c      ; SELECT VALUE c.b FROM ROOT AS c
          SELECT VALUE c[@n] FROM c         ; SELECT VALUE c[2] FROM ROOT AS c
          SELECT TOP @n * FROM c WHERE c.a IN (@n, @list) ; SELECT TOP 2 * FROM ROOT AS c WHERE c.a IN (2, [1])
          SELECT * FROM c OFFSET @n LIMIT 5 ; SELECT * FROM ROOT AS c OFFSET 2 LIMIT 5
          SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.a) FROM c ; SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.a) FROM ROOT AS c
          SELECT VALUE EXISTS(SELECT 1 FROM x IN root.a WHERE x = c.b) FROM c ; SELECT VALUE EXISTS(SELECT 1 FROM x IN ROOT.a WHERE x = c.b) FROM ROOT AS c
          """)
  void resolvesNames(String text, String bound) {
    assertThat(SqlPrinter.print(bind(text))).isEqualTo(bound);
  }

  private static QueryException refusal(String text) {
    QueryException refusal = catchThrowableOfType(QueryException.class, () -> bind(text));
    assertThat(refusal).as(text).isNotNull();
    return refusal;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT * FROM c ORDER BY lastName         ; lastName
          SELECT VALUE x                            ; x
          SELECT VALUE TRUE                         ; TRUE
          SELECT VALUE Families.a FROM Families f   ; Families
          SELECT VALUE c.a FROM c.children          ; c
          SELECT 1 FROM c JOIN x IN d.a             ; d
          SELECT 1 FROM c JOIN x IN y.a JOIN y IN c.b ; y
          SELECT c.a AS n FROM c WHERE n = 1        ; n
          SELECT VALUE (SELECT VALUE x FROM x IN c.a) || x FROM c ; x
          SELECT VALUE EXISTS(SELECT 1 FROM other) FROM c ; other
          SELECT VALUE EXISTS(SELECT 1 FROM ROOT)   ; ROOT
          """)
  void rejectsUnknownNames(String text, String name) {
    QueryException refusal = refusal(text);
    assertThat(refusal.detailCode()).isEqualTo("SC2001");
    assertThat(refusal.detail()).isEqualTo("Identifier '" + name + "' could not be resolved.");
    assertThat(text.substring(refusal.start(), refusal.end())).contains(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT *                                   ; 'SELECT *' is not valid if FROM clause is omitted.
          SELECT * FROM c JOIN x IN c.a              ; 'SELECT *' is only valid with a single input set.
          SELECT VALUE EXISTS(SELECT *) FROM c       ; 'SELECT *' is not valid if FROM clause is omitted.
          SELECT 1 FROM c JOIN c IN c.a              ; The alias 'c' is used more than once in FROM.
          SELECT VALUE @none                         ; The parameter '@none' has no value.
          SELECT TOP @text * FROM c                  ; TOP must be an integer from 0 to 2147483647.
          SELECT TOP 2147483648 * FROM c             ; TOP must be an integer from 0 to 2147483647.
          SELECT * FROM c OFFSET 1 LIMIT @text       ; LIMIT must be an integer from 0 to 2147483647.
          SELECT * FROM c OFFSET 99999999999 LIMIT 1 ; OFFSET must be an integer from 0 to 2147483647.
          SELECT TOP 1 * FROM c OFFSET 1 LIMIT 1     ; TOP and OFFSET LIMIT cannot be used together.
          SELECT * FROM c WHERE COUNT(1) > 1         ; Aggregates can be used in SELECT only, not in WHERE.
          SELECT 1 FROM c GROUP BY MAX(c.a)          ; Aggregates can be used in SELECT only, not in GROUP BY.
          SELECT SUM(1 + COUNT(c.a)) FROM c          ; An aggregate cannot be applied to another aggregate.
          SELECT 'a' LIKE 'b' ESCAPE '!!'            ; ESCAPE must be one character.
          SELECT COUNT(1, 2) FROM c                  ; The COUNT function requires 1 argument(s)
          SELECT COUNT() FROM c                      ; The COUNT function requires 1 argument(s)
          SELECT * FROM c GROUP BY c.a               ; 'SELECT *' is not valid with GROUP BY.
          SELECT c.a FROM c GROUP BY c.b             ; 'c.a' is neither in GROUP BY nor inside of an aggregate.
          SELECT c.a, COUNT(1) FROM c                ; 'c.a' is neither in GROUP BY nor inside of an aggregate.
          SELECT c.a + 1 FROM c GROUP BY c.a + 2     ; 'c.a' is neither in GROUP BY nor inside of an aggregate.
          SELECT VALUE (SELECT VALUE c.b) FROM c GROUP BY c.a ; 'c' is neither in GROUP BY nor inside of an aggregate.
          SELECT c.a FROM c GROUP BY c.a ORDER BY c.a ; ORDER BY cannot be used together with GROUP BY. Sort the groups in a query around it: SELECT * FROM (SELECT … GROUP BY …) AS g ORDER BY g.name.
          SELECT COUNT(1) FROM c ORDER BY c.a + 1    ; Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.
          SELECT g.name FROM c JOIN g IN c.groups GROUP BY g.id ; 'g.name' is neither in GROUP BY nor inside of an aggregate.
          SELECT LENGTH(g.name) FROM c JOIN g IN c.groups GROUP BY c ; 'g.name' is neither in GROUP BY nor inside of an aggregate.
          SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.other) FROM c GROUP BY c.tags ; 'c' is neither in GROUP BY nor inside of an aggregate.
          SELECT VALUE ARRAY(SELECT VALUE c.b FROM x IN c.tags) FROM c GROUP BY c.tags ; 'c' is neither in GROUP BY nor inside of an aggregate.
          SELECT * FROM c ORDER BY c.a + 1           ; Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.
          SELECT * FROM c ORDER BY 1                 ; Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.
          SELECT * FROM c ORDER BY c[c.a]            ; Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.
          """)
  void rejectsMeaninglessQueries(String text, String message) {
    QueryException refusal = refusal(text);
    assertThat(refusal).hasMessage("INVALID_QUERY: " + message);
    assertThat(refusal.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY);
    assertThat(refusal.start()).isLessThan(refusal.end());
  }

  @Test
  void rejectsUnknownFunctions() {
    QueryException refusal = refusal("SELECT VALUE 1 + Foo_Bar(2)");
    assertThat(refusal.detailCode()).isEqualTo("SC2005");
    assertThat(refusal.detail()).isEqualTo("'FOO_BAR' is not a recognized built-in function name.");
    assertThat(refusal.start()).isEqualTo(17);
    assertThat(refusal.end()).isEqualTo(27);
  }

  @Test
  void acceptsAggregatesOfSubqueries() {
    assertThat(bind("SELECT * FROM c WHERE (SELECT VALUE COUNT(1) FROM x IN c.a) > 1").where())
        .isNotNull();
    assertThat(bind("SELECT SUM((SELECT VALUE COUNT(1) FROM x IN c.a)) FROM c")).isNotNull();
    assertThat(bind("SELECT c.a.b, c.a, MAX(c.z) FROM c GROUP BY c.a")).isNotNull();
  }

  /** An aggregate without GROUP BY has one row, which has no order. */
  @Test
  void ignoresOrderBesideAnAggregate() {
    assertThat(SqlPrinter.print(bind("SELECT VALUE COUNT(1) FROM r ORDER BY r.id DESC")))
        .isEqualTo("SELECT VALUE COUNT(1) FROM ROOT AS r");
  }

  @Test
  void rejectsDeepParameters() {
    JsonNode deep = Values.NULL;
    for (int i = 0; i < 100_000; i++) {
      deep = JsonNodeFactory.instance.arrayNode().add(deep);
    }
    Map<String, JsonNode> parameters = Map.of("p", deep);
    QueryException refusal =
        catchThrowableOfType(
            QueryException.class, () -> QueryBinder.bind(Sql.parse("SELECT VALUE @p"), parameters));
    assertThat(refusal.code()).isEqualTo(DocumentErrorCode.LIMIT_EXCEEDED);
  }
}
