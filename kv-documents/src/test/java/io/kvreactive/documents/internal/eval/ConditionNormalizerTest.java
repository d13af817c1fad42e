package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.Unary;
import io.kvreactive.documents.internal.sql.ast.Expr.UnaryOp;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionNormalizerTest {
  private static final String ITEMS =
      """
      [{"a": 1, "b": 2}, {"a": 2, "b": "x"}, {"a": true, "b": false}, {"a": null}, {"b": true},
       {"a": "x", "b": "xy"}, {"a": [1], "b": {"c": 1}}, {"a": false, "b": null}]
      """;

  private static List<Expr> conjuncts(String where) {
    return ConditionNormalizer.conjuncts(Answers.bound("SELECT * FROM c WHERE " + where).where());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          c.a = 1 AND (c.b = 2 AND c.d)          ; c.a = 1, c.b = 2, c.d
          NOT (c.a = 1 OR c.b < 2)               ; c.a != 1, c.b >= 2
          NOT (c.a = 1 AND NOT (c.b > 2))        ; (c.a != 1) OR (c.b > 2)
          NOT c.a = 1                            ; (NOT c.a) = 1
          c.d = true                             ; c.d = true
          NOT c.d = true                         ; NOT c.d
          c.a > 2 = true                         ; c.a > 2
          c.a > 2 = false                        ; c.a <= 2
          false = c.a > 2                        ; c.a <= 2
          c.a > 2 != true                        ; c.a <= 2
          c.a = 1 = true = true                  ; c.a = 1
          NOT (c.a = 1) = true                   ; c.a != 1
          NOT (c.a > 2 = false)                  ; c.a > 2
          (c.a IN (1, 2)) != true                ; c.a NOT IN (1, 2)
          (c.a = 1 OR c.b = 2) = false           ; c.a != 1, c.b != 2
          c.a > 2 = 1                            ; (c.a > 2) = 1
          NOT (c.a != 1) AND NOT (c.b <= 2)      ; c.a = 1, c.b > 2
          NOT NOT c.a                            ; c.a
          NOT c.a                                ; NOT c.a
          NOT (c.a BETWEEN 1 AND 2)              ; c.a NOT BETWEEN 1 AND 2
          NOT (c.a NOT IN (1, 2))                ; c.a IN (1, 2)
          NOT (c.a LIKE 'x%')                    ; c.a NOT LIKE "x%"
          c.a = 1 + 2 * 3                        ; c.a = 7
          c.a = ('x' || 'y')                     ; c.a = "xy"
          c.a IN (1 + 1, c.b)                    ; c.a IN (2, c.b)
          true AND c.a = 1                       ; c.a = 1
          c.a = 1 OR false                       ; c.a = 1
          c.a = 1 OR 5                           ; c.a = 1
          1 = 1                                  ; ''
          c.a = 1 OR NOT (1 > 2)                 ; ''
          c.a = 1 AND 1 = 2                      ; false
          c.a = 1 AND undefined                  ; false
          NOT undefined                          ; false
          NOT (c.a || 'x')                       ; NOT (c.a || "x")
          NOT EXISTS(SELECT 1)                   ; NOT EXISTS(SELECT 1)
          c.a ? true : false                     ; c.a ? true : false
          """)
  void normalizesConditions(String where, String conjuncts) {
    assertThat(conjuncts(where).stream().map(SqlPrinter::print).collect(Collectors.joining(", ")))
        .isEqualTo(conjuncts);
  }

  @Test
  void leavesLongTextsToEvaluation() {
    String text = "REPLACE(REPLICATE('a', 10000), 'a', REPLICATE('b', 200))";
    assertThat(SqlPrinter.print(conjuncts("c.a = " + text).get(0))).contains("REPLACE(");
  }

  @Test
  void limitsTheTotalSizeOfFoldedConstants() {
    List<Expr> terms =
        conjuncts("c.a != REPLICATE('a', 10000) AND ".repeat(2000) + "c.b = 1 + 1 + 1");
    long weight = 0;
    for (Expr term : terms) {
      if (((Expr.Binary) term).right() instanceof Expr.Constant computed) {
        weight += MemoryEstimator.of(computed.value());
      }
    }
    assertThat(terms).hasSize(2001);
    assertThat(weight).isBetween(100_000L, 1L << 20);
    assertThat(SqlPrinter.print(terms.get(2000))).isEqualTo("c.b = 3");
  }

  private static Arbitrary<String> conditions(int depth) {
    Arbitrary<String> operands =
        Arbitraries.of(
            "c.a", "c.b", "1", "2", "'x'", "true", "false", "null", "undefined", "c.b.c");
    Arbitrary<String> leaves =
        Arbitraries.oneOf(
            operands,
            Combinators.combine(operands, Arbitraries.of("=", "!=", "<", "<=", ">", ">="), operands)
                .as((x, op, y) -> x + " " + op + " " + y),
            Combinators.combine(operands, Arbitraries.of("", "NOT "), operands, operands)
                .as((x, not, y, z) -> x + " " + not + "BETWEEN " + y + " AND " + z),
            Combinators.combine(operands, Arbitraries.of("", "NOT "), operands, operands)
                .as((x, not, y, z) -> x + " " + not + "IN (" + y + ", " + z + ")"),
            Combinators.combine(operands, Arbitraries.of("", "NOT "))
                .as((x, not) -> x + " " + not + "LIKE 'x%'"));
    if (depth == 0) {
      return leaves;
    }
    Arbitrary<String> inner = Arbitraries.lazy(() -> conditions(depth - 1));
    return Arbitraries.oneOf(
        leaves,
        inner.map(x -> "NOT (" + x + ")"),
        Combinators.combine(inner, Arbitraries.of("AND", "OR", "??"), inner)
            .as((x, op, y) -> "(" + x + ") " + op + " (" + y + ")"),
        Combinators.combine(inner, inner, inner)
            .as((x, y, z) -> "((" + x + ") ? (" + y + ") : (" + z + "))"));
  }

  @Provide
  Arbitrary<String> wheres() {
    return conditions(4);
  }

  @Property(tries = 1000)
  void selectsTheSameRows(@ForAll("wheres") String where) {
    Query query = Answers.bound("SELECT * FROM c WHERE " + where);
    List<Expr> conjuncts = ConditionNormalizer.conjuncts(query.where());
    Expr all = conjuncts.isEmpty() ? null : OperatorChains.of(BinaryOp.AND, conjuncts);
    Query normal =
        new Query(
            query.select(), query.from(), all, List.of(), List.of(), null, null, query.span());
    assertThat(InMemoryQuery.run(normal, Answers.json(ITEMS), Answers.CONTEXT))
        .as(conjuncts.toString())
        .isEqualTo(InMemoryQuery.run(query, Answers.json(ITEMS), Answers.CONTEXT));
    conjuncts.forEach(ConditionNormalizerTest::assertNotOnlyAtLeaves);
  }

  private static void assertNotOnlyAtLeaves(Expr expr) {
    if (expr instanceof Expr.Binary binary
        && (binary.op() == BinaryOp.AND || binary.op() == BinaryOp.OR)) {
      OperatorChains.terms(binary.op(), binary)
          .forEach(ConditionNormalizerTest::assertNotOnlyAtLeaves);
    } else if (expr instanceof Unary unary && unary.op() == UnaryOp.NOT) {
      assertThat(unary.operand())
          .isNotInstanceOfAny(Unary.class, Expr.In.class, Expr.Between.class, Expr.Like.class);
    }
  }
}
