package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.spi.CallCondition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate: a condition on the value of one field.
 *
 * @param expr the condition
 * @param subject the part of the condition that refers to the field
 * @param ranges the ranges that the value must be in; empty if the condition never holds
 * @param tight true if the condition holds for all values in the ranges
 * @param containers true if the condition can hold for arrays and objects, which only some indexes
 *     hold
 * @param call the condition for indexes of extensions, for {@link Kind#CALL}
 * @param tested true if each entry's value is tested with the condition, without loading items
 */
public record Predicate(
    Expr expr,
    Expr subject,
    FieldRef field,
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
      FieldRef field,
      Kind kind,
      List<ValueRange> ranges,
      boolean tight,
      boolean containers,
      AccessClass accessClass,
      boolean tested) {
    this(expr, subject, field, kind, ranges, tight, containers, accessClass, tested, null);
  }

  /** Returns a predicate that only indexes of extensions serve, and that holds for objects only. */
  static Predicate ofCall(Expr expr, Expr subject, FieldRef field, CallCondition call) {
    return new Predicate(
        expr,
        subject,
        field,
        Kind.CALL,
        List.of(new ValueRange.Types(ValueRange.ValueType.OBJECT, ValueRange.ValueType.OBJECT)),
        false,
        true,
        AccessClass.EXPANDED_INDEX_SCAN,
        false,
        call);
  }

  /** The kinds of predicates that the rules of composite indexes distinguish. */
  public enum Kind {
    /** {@code =} with a constant. */
    EQUAL,
    /** IN, and other conditions for several values. */
    SOME,
    /** One range: {@code > < >= <= !=}, BETWEEN, STARTSWITH. */
    RANGE,
    /** Another function of the value. */
    FUNCTION,
    /** A function that only indexes of extensions know. */
    CALL
  }

  /**
   * Returns true if the predicate holds for a missing value; only some indexes have entries of
   * missing values.
   */
  boolean isMissing() {
    return !ranges.isEmpty() && ranges.get(0).equals(ValueRange.MISSING);
  }

  boolean isNever() {
    return ranges.isEmpty();
  }
}
