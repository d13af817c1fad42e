package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.sql.ast.Expr;
import java.util.List;

/**
 * A condition on the value at one place.
 *
 * @param expr the condition
 * @param subject the part of it that stands for the place
 * @param ranges what the value must be in for the condition to hold; empty: it never holds
 * @param tight whether it holds for all values in the ranges
 * @param containers whether it can hold for arrays and objects, which only some indexes have
 * @param tested whether each entry's value is tested with the condition, without loading items
 */
public record Predicate(
    Expr expr,
    Expr subject,
    Place place,
    Kind kind,
    List<ValueRange> ranges,
    boolean tight,
    boolean containers,
    AccessClass accessClass,
    boolean tested) {
  public Predicate {
    ranges = List.copyOf(ranges);
  }

  /** What the rules of composite indexes tell apart. */
  public enum Kind {
    /** {@code =} with a constant. */
    EQUAL,
    /** IN, or anything else that is some values. */
    SOME,
    /** One range: {@code > < >= <= !=}, BETWEEN, STARTSWITH. */
    RANGE,
    /** Another function of the value. */
    FUNCTION
  }

  /** Whether it holds where there is no value, of which only some indexes have entries. */
  boolean isMissing() {
    return !ranges.isEmpty() && ranges.get(0).equals(ValueRange.MISSING);
  }

  boolean isNever() {
    return ranges.isEmpty();
  }
}
