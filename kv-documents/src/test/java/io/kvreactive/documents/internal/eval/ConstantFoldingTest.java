package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that constant folding is bounded, and that rows evaluate the rest. */
class ConstantFoldingTest {
  private static final String TEN_THOUSAND = "REPLICATE('a', 10000)";
  private static final String LONG = "REPLACE(" + TEN_THOUSAND + ", 'a', REPLICATE('b', 200))";

  private final ConstantFolding folding = new ConstantFolding();

  private Evaluator compiled(String expr) {
    List<SelectItem> items = Answers.bound("SELECT VALUE " + expr).select().items();
    return new ExprCompiler(RowSlots.ITEM, folding).compile(items.get(0).expr());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 + 1",
        "LOWER('Abc')",
        "'a' || 'b'",
        "REPLICATE('a', 1000)",
        "[1 + 1, {a: LENGTH('abc')}].x",
        "5 IN (1, 2, 5)"
      })
  void foldsSmallConstants(String expr) {
    assertThat(compiled(expr)).isInstanceOf(ConstantEvaluator.class);
  }

  @Test
  void doesNotFoldLongValues() {
    assertThat(compiled(LONG)).isNotInstanceOf(ConstantEvaluator.class);
    assertThat(compiled("[" + LONG + ", " + LONG + "]")).isNotInstanceOf(ConstantEvaluator.class);
  }

  @Test
  void limitsTheNumberOfFoldedValues() {
    int kept = 0;
    for (int i = 0; i < 1000; i++) {
      kept += compiled(TEN_THOUSAND) instanceof ConstantEvaluator ? 1 : 0;
    }
    assertThat(kept).isBetween(10, 30);
    assertThat(compiled("1 + 1")).isInstanceOf(ConstantEvaluator.class);
  }

  @Test
  void limitsCallsWithLongArguments() {
    assertThat(calls(Values.text("a".repeat(10_000)), Values.TRUE)).isBetween(10, 30);
  }

  @Test
  void limitsCallsWithLongResults() {
    assertThat(calls(Values.TRUE, Values.text("a".repeat(1 << 20)))).isBetween(1, 30);
  }

  private int calls(JsonNode argument, JsonNode result) {
    AtomicInteger calls = new AtomicInteger();
    for (int i = 0; i < 1000; i++) {
      var unused =
          folding.call(
              row -> {
                calls.incrementAndGet();
                return result;
              },
              List.of(new ConstantEvaluator(argument)));
    }
    return calls.get();
  }

  @Test
  void evaluatesUnfoldedCallsForRows() {
    String many = (LONG + ", ").repeat(30) + "LENGTH(" + LONG + ")";
    JsonNode row = Answers.value("[" + many + "]");
    assertThat(row).hasSize(31);
    assertThat(row.get(0).textValue()).isEqualTo("b".repeat(2_000_000));
    assertThat(row.get(30)).isEqualTo(Json.parse("2000000"));
  }
}
