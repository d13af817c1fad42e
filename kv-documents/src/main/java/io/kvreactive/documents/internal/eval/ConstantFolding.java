package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.FunctionLimitException;
import java.util.List;

/**
 * Folds constants while a query is compiled, as far as the values are small. No other limit applies
 * before a query runs. Larger expressions are computed for each row, within the budget of the run.
 * An instance compiles one query.
 */
final class ConstantFolding {
  /**
   * Weight in bytes up to which values are always folded: they are not much longer than their text.
   */
  private static final long SMALL = 256;

  /** Maximum total weight in bytes of all other values and their parts. */
  private static final long MAX_WEIGHT = 256 * 1024;

  /** Maximum number of calls computed in vain: short text can make a long value. */
  private static final int MAX_IN_VAIN = 16;

  private static final Row ROW =
      new Row(new JsonNode[0], null, new Execution(DeterministicContext.NONE, Budget.unlimited()));

  private long left = MAX_WEIGHT;
  private int inVain;

  /** Folds an expression whose value is not much longer than its parts. */
  Evaluator folded(Evaluator evaluator, List<Evaluator> parts) {
    return isKnown(parts) && spend(weight(parts)) ? kept(evaluator) : evaluator;
  }

  Evaluator call(Evaluator evaluator, List<Evaluator> arguments) {
    return inVain < MAX_IN_VAIN ? folded(evaluator, arguments) : evaluator;
  }

  /** Folds an expression that only selects or collects its parts, which exist already. */
  static Evaluator shared(Evaluator evaluator, List<Evaluator> parts) {
    return isKnown(parts) ? new ConstantEvaluator(evaluator.value(ROW)) : evaluator;
  }

  private Evaluator kept(Evaluator evaluator) {
    JsonNode value;
    try {
      value = evaluator.value(ROW);
    } catch (FunctionLimitException e) {
      inVain++;
      return evaluator; // fails if a row needs the value
    }
    if (spend(MemoryEstimator.of(value, maxWeight()))) {
      return new ConstantEvaluator(value);
    }
    inVain++;
    return evaluator;
  }

  private static boolean isKnown(List<Evaluator> parts) {
    return parts.stream().allMatch(ConstantEvaluator.class::isInstance);
  }

  private long weight(List<Evaluator> parts) {
    long weight = 0;
    for (Evaluator part : parts) {
      if (part instanceof ConstantEvaluator known && weight <= maxWeight()) {
        weight += MemoryEstimator.of(known.constant(), maxWeight());
      }
    }
    return weight;
  }

  /** Returns the weight at which estimation may stop. */
  private long maxWeight() {
    return Math.max(left, SMALL);
  }

  private boolean spend(long weight) {
    if (weight <= SMALL) {
      return true;
    } else if (weight > left) {
      return false;
    }
    left -= weight;
    return true;
  }
}
