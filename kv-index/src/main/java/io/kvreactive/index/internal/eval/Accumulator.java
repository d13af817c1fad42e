package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;

/** An aggregate function over values added one by one. Undefined values do not count. */
abstract class Accumulator {
  /**
   * Creates the accumulator of an aggregate function.
   *
   * @param name the name of the function, in capitals
   */
  static Accumulator of(String name) {
    return switch (name) {
      case "COUNT" -> new Count();
      case "SUM" -> new Sum(false);
      case "AVG" -> new Sum(true);
      case "MIN" -> new Extreme(-1);
      case "MAX" -> new Extreme(1);
      default -> throw new IllegalArgumentException("no aggregate: " + name);
    };
  }

  /** Adds a value. Memory kept in addition is held in the budget. */
  final void add(JsonNode value, Budget budget) {
    if (!value.isMissingNode()) {
      addDefined(value, budget);
    }
  }

  abstract void addDefined(JsonNode value, Budget budget);

  /** Returns the result of the values added so far. */
  abstract JsonNode result();

  private static final class Count extends Accumulator {
    private long count;

    @Override
    void addDefined(JsonNode value, Budget budget) {
      count++;
    }

    @Override
    JsonNode result() {
      return Values.number(count);
    }
  }

  /** SUM and AVG: undefined after the first value that is not a number. */
  private static final class Sum extends Accumulator {
    private final boolean average;
    private boolean numbersOnly = true;
    private double sum;
    private long count;

    Sum(boolean average) {
      this.average = average;
    }

    @Override
    void addDefined(JsonNode value, Budget budget) {
      numbersOnly &= value.isNumber();
      sum += value.doubleValue();
      count++;
    }

    @Override
    JsonNode result() {
      if (!numbersOnly || (average && count == 0)) {
        return Values.UNDEFINED;
      }
      return Values.number(average ? sum / count : sum);
    }
  }

  /**
   * MIN and MAX: the first or last in the order of values; undefined if there is an array or
   * object.
   */
  private static final class Extreme extends Accumulator {
    private final int sign;
    private boolean scalarsOnly = true;
    private JsonNode best = Values.UNDEFINED;

    Extreme(int sign) {
      this.sign = sign;
    }

    @Override
    void addDefined(JsonNode value, Budget budget) {
      scalarsOnly &= Values.isScalar(value);
      if (scalarsOnly && (best.isMissingNode() || sign * Values.compare(value, best) > 0)) {
        budget.release(MemoryEstimator.of(best));
        budget.hold(MemoryEstimator.of(value));
        best = value;
      }
    }

    @Override
    JsonNode result() {
      return scalarsOnly ? best : Values.UNDEFINED;
    }
  }
}
