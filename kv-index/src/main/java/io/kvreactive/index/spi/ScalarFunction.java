package io.kvreactive.index.spi;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A function of values. It has no state that shows, may be called by many threads, and never
 * throws: what it cannot do is undefined. Arguments must not be changed, and are not: a result may
 * share parts of them.
 */
public interface ScalarFunction {
  /** In capitals. */
  String name();

  int minArguments();

  /** {@link Integer#MAX_VALUE} when there is no limit. */
  int maxArguments();

  /**
   * @param arguments as many as allowed; undefined ones are {@code MissingNode}s
   */
  JsonNode call(JsonNode[] arguments, EvaluationContext context);

  /** Returns true if the same arguments always give the same value, which is then computed once. */
  default boolean deterministic() {
    return true;
  }

  /** Returns true if the same arguments give the same value all through one query. */
  default boolean constantInQuery() {
    return deterministic();
  }

  /** Returns true if ORDER BY takes a call, which leaves out rows for which it is undefined. */
  default boolean ordersRows() {
    return false;
  }

  /**
   * Called once for a place of a query that calls it: may do work ahead that only needs arguments
   * that do not change, such as compiling a pattern.
   */
  default ScalarFunction prepare(ConstantArguments constants) {
    return this;
  }

  /** Which arguments of a call are known before. */
  @FunctionalInterface
  interface ConstantArguments {
    /** The value, or null when it is not known before or there is no such argument. */
    @Nullable JsonNode get(int argument);
  }
}
