package io.kvreactive.index.spi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition of a query: a function of one value of the item and of constants, which is true by
 * itself or compared with a constant. An example is {@code ST_DISTANCE(c.location, {…}) < 1000}.
 *
 * @param function name in capitals
 * @param subject which argument is the value of the item, from 0
 * @param arguments the constants; null at {@code subject}
 * @param comparison of the function's value with {@code bound}
 * @param bound the constant; true for a condition that is a call by itself
 */
public record CallCondition(
    String function,
    int subject,
    List<@Nullable JsonNode> arguments,
    Comparison comparison,
    JsonNode bound) {
  /** A comparison of the value of a function, on the left, with a constant. */
  public enum Comparison {
    EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL
  }
}
