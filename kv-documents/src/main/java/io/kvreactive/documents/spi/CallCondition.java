package io.kvreactive.documents.spi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition of a query: a call of a function of one value of the item and of constants. The call
 * is a predicate, or is compared with a constant. An example is {@code ST_DISTANCE(c.location, {…})
 * < 1000}.
 *
 * @param function the name in capitals
 * @param subject the index of the argument that is the value of the item, from 0
 * @param arguments the constants; null at {@code subject}
 * @param comparison the comparison of the function's value with {@code bound}
 * @param bound the constant; true for a call that is a predicate
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
