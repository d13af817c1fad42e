package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.spi.CallCondition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the value at one place.
 *
 * @param expr the condition
 * @param subject the part of it that stands for the place
 * @param ranges what the value must be in for the condition to hold; empty: it never holds
 * @param tight whether it holds for all values in the ranges
 * @param containers whether it can hold for arrays and objects, which only some indexes have
 * @param call the condition for indexes of extensions, when {@link Kind#CALL}
 * @param tested whether each entry's value is tested with the condition, without loading items
 */
public record Predicate(
    Expr expr,
    Expr subject,
    FieldRef place,
    Kind kind,
    List<ValueRange> ranges,
    boolean tight,
    boolean containers,
    AccessClass accessClass,
    boolean tested,
    @Nullable CallCondition call) {
  public Predicate {
    ranges = List.copyOf(ranges);
  }

  Predicate(
      Expr expr,
      Expr subject,
      FieldRef place,
      Kind kind,
      List<ValueRange> ranges,
      boolean tight,
      boolean containers,
      AccessClass accessClass,
      boolean tested) {
    this(expr, subject, place, kind, ranges, tight, containers, accessClass, tested, null);
  }

  /** A condition that only indexes of extensions serve, and which holds for objects only. */
  static Predicate ofCall(Expr expr, Expr subject, FieldRef place, CallCondition call) {
    return new Predicate(
        expr,
        subject,
        place,
        Kind.CALL,
        List.of(new ValueRange.Types(ValueRange.ValueType.OBJECT, ValueRange.ValueType.OBJECT)),
        false,
        true,
        AccessClass.EXPANDED_INDEX_SCAN,
        false,
        call);
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
    FUNCTION,
    /** A function that only indexes of extensions know. */
    CALL
  }

  /** Whether it holds where there is no value, of which only some indexes have entries. */
  boolean isMissing() {
    return !ranges.isEmpty() && ranges.get(0).equals(ValueRange.MISSING);
  }

  boolean isNever() {
    return ranges.isEmpty();
  }
}
