package io.kvreactive.documents.spi;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A scalar function of JSON values. An implementation has no observable state and may be called by
 * many threads. A call without a result returns undefined. A call beyond a limit of the function
 * throws an {@link io.kvreactive.documents.DocumentException} of QUERY_BUDGET_EXCEEDED, because an
 * undefined result would hide rows. Arguments must not be changed; a result may share parts of
 * them.
 */
public interface ScalarFunction {
  /** Returns the name in capitals. */
  String name();

  int minArguments();

  /** Returns the maximum number of arguments, {@link Integer#MAX_VALUE} if there is no limit. */
  int maxArguments();

  /**
   * Calls the function.
   *
   * @param arguments the arguments, in an allowed number; undefined ones are {@code MissingNode}s
   */
  JsonNode call(JsonNode[] arguments, EvaluationContext context);

  /** Returns true if equal arguments always give the same value, which is then computed once. */
  default boolean deterministic() {
    return true;
  }

  /** Returns true if equal arguments give the same value throughout one query. */
  default boolean constantInQuery() {
    return deterministic();
  }

  /**
   * Returns true if ORDER BY accepts a call, which excludes rows for which the call is undefined.
   */
  default boolean ordersRows() {
    return false;
  }

  /**
   * Returns a function specialized for one call in a query. Called once per call expression, to do
   * work ahead that depends on constant arguments only, such as compiling a pattern.
   */
  default ScalarFunction prepare(ConstantArguments constants) {
    return this;
  }

  /** The arguments of a call that are constant. */
  @FunctionalInterface
  interface ConstantArguments {
    /**
     * Returns the value of an argument, or null if the argument is not constant or does not exist.
     */
    @Nullable JsonNode get(int argument);
  }
}
