package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.LikePattern;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Values;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles IN and LIKE. */
final class InAndLike {
  private InAndLike() {}

  /** Compiles IN: true if an element equals the operand; undefined if the operand is undefined. */
  static Evaluator in(Evaluator operand, List<Evaluator> list) {
    Set<DeepKey> constants = new HashSet<>();
    for (Evaluator element : list) {
      if (!(element instanceof ConstantEvaluator constant)) {
        return row -> anyOf(operand.value(row), list, row);
      }
      if (!constant.constant().isMissingNode()) {
        constants.add(new DeepKey(constant.constant()));
      }
    }
    return row -> {
      JsonNode value = operand.value(row);
      return value.isMissingNode() ? value : Values.bool(constants.contains(new DeepKey(value)));
    };
  }

  private static JsonNode anyOf(JsonNode value, List<Evaluator> list, Row row) {
    if (value.isMissingNode()) {
      return value;
    }
    for (Evaluator element : list) {
      row.budget().step();
      if (Values.isTrue(Values.isEqual(value, element.value(row)))) {
        return Values.TRUE;
      }
    }
    return Values.FALSE;
  }

  static Evaluator like(Evaluator operand, Evaluator pattern, @Nullable String escape) {
    if (pattern instanceof ConstantEvaluator constant) {
      LikePattern compiled = pattern(constant.constant(), escape);
      return row -> matches(operand.value(row), compiled);
    }
    return row -> matches(operand.value(row), pattern(pattern.value(row), escape));
  }

  private static @Nullable LikePattern pattern(JsonNode pattern, @Nullable String escape) {
    return pattern.isTextual() ? LikePattern.compile(pattern.textValue(), escape) : null;
  }

  private static JsonNode matches(JsonNode value, @Nullable LikePattern pattern) {
    return value.isTextual() && pattern != null
        ? Values.bool(pattern.matches(value.textValue()))
        : Values.UNDEFINED;
  }
}
