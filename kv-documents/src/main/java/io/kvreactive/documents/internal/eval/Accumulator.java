package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.functions.FunctionLimitException;
import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Values;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An aggregate function over values added one by one. Undefined values do not count. */
abstract class Accumulator {
  /**
   * Creates the accumulator of an aggregate function.
   *
   * @param name the name of the function, in capitals
   */
  static Accumulator of(String name) {
    return switch (name) {
      case "COUNT" -> new Count(false);
      case "COUNTIF" -> new Count(true);
      case "SUM" -> new Sum(false);
      case "AVG" -> new Sum(true);
      case "MIN" -> new Extreme(-1);
      case "MAX" -> new Extreme(1);
      case "MAKELIST" -> new Collected(null);
      case "MAKESET" -> new Collected(new HashSet<>());
      default -> throw new IllegalArgumentException("no aggregate: " + name);
    };
  }

  /** Adds a value. Charges newly retained memory to the budget. */
  final void add(JsonNode value, Budget budget) {
    if (!value.isMissingNode()) {
      addDefined(value, budget);
    }
  }

  abstract void addDefined(JsonNode value, Budget budget);

  /** Returns the result of the values added so far. */
  abstract JsonNode result();

  /** COUNT of the defined values, or COUNTIF of those that are true. */
  private static final class Count extends Accumulator {
    private final boolean trueOnly;
    private long count;

    Count(boolean trueOnly) {
      this.trueOnly = trueOnly;
    }

    @Override
    void addDefined(JsonNode value, Budget budget) {
      if (!trueOnly || value.isBoolean() && value.booleanValue()) {
        count++;
      }
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
   * MAKELIST and MAKESET: an array of the values in the order in which they are found, at most
   * {@value FunctionRegistry#MAX_RESULT}.
   */
  private static final class Collected extends Accumulator {
    private final @Nullable Set<DeepKey> seen; // null: equal values are kept
    private final ArrayNode values = JsonNodeFactory.instance.arrayNode();

    Collected(@Nullable Set<DeepKey> seen) {
      this.seen = seen;
    }

    @Override
    void addDefined(JsonNode value, Budget budget) {
      if (seen == null || seen.add(new DeepKey(value))) {
        FunctionLimitException.checkResult(
            seen == null ? "MAKELIST" : "MAKESET", values.size() + 1L);
        budget.hold(MemoryEstimator.of(value) + (seen == null ? 8 : 72));
        values.add(value);
      }
    }

    @Override
    JsonNode result() {
      return values;
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
