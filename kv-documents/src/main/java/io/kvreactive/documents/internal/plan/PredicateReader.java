package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.LikePattern;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads predicates: conditions on the value of one field. */
final class PredicateReader {
  private final ConstantValues constants;
  private final FieldScope scope;

  PredicateReader(ConstantValues constants, FieldScope scope) {
    this.constants = constants;
    this.scope = scope;
  }

  /** Returns the predicate, or null if the expression is no such condition. */
  @Nullable Predicate of(Expr expr) {
    Predicate called = new CallPredicates(constants, scope).of(expr);
    if (called != null) {
      return called;
    }
    if (expr instanceof Expr.Binary binary) {
      return comparison(binary);
    }
    if (expr instanceof Expr.Between between && !between.negated()) {
      return between(between);
    }
    if (expr instanceof Expr.In in) {
      return in(in);
    }
    if (expr instanceof Expr.Like like) {
      return like(like);
    }
    if (expr instanceof Expr.Call call) {
      return new FunctionPredicates(constants, scope).of(call);
    }
    if (expr instanceof Expr.Unary unary && unary.op() == Expr.UnaryOp.NOT) {
      Predicate missing = new FunctionPredicates(constants, scope).ofNot(unary);
      return missing != null ? missing : flag(expr, unary.operand(), false);
    }
    return flag(expr, expr, true);
  }

  private @Nullable Predicate flag(Expr expr, Expr subject, boolean value) {
    FieldRef field = scope.field(subject);
    return field == null
        ? null
        : equal(expr, subject, field, Values.bool(value), Predicate.Kind.EQUAL);
  }

  private @Nullable Predicate comparison(Expr.Binary expr) {
    FieldRef left = scope.field(expr.left());
    JsonNode right = constants.value(expr.right());
    if (left != null && right != null) {
      return compare(expr, expr.op(), expr.left(), left, right);
    }
    FieldRef field = scope.field(expr.right());
    JsonNode value = constants.value(expr.left());
    if (field != null && value != null) {
      return compare(expr, mirrored(expr.op()), expr.right(), field, value);
    }
    return expr.op() == Expr.BinaryOp.EQUAL
        ? new FunctionPredicates(constants, scope).ofEquality(expr)
        : null;
  }

  private static Expr.BinaryOp mirrored(Expr.BinaryOp op) {
    return switch (op) {
      case LESS -> Expr.BinaryOp.GREATER;
      case LESS_OR_EQUAL -> Expr.BinaryOp.GREATER_OR_EQUAL;
      case GREATER -> Expr.BinaryOp.LESS;
      case GREATER_OR_EQUAL -> Expr.BinaryOp.LESS_OR_EQUAL;
      default -> op;
    };
  }

  private static @Nullable Predicate compare(
      Expr expr, Expr.BinaryOp op, Expr subject, FieldRef field, JsonNode value) {
    return switch (op) {
      case EQUAL -> equal(expr, subject, field, value, Predicate.Kind.EQUAL);
      case NOT_EQUAL ->
          value.isMissingNode()
              ? range(expr, subject, field, List.of(), false)
              : range(expr, subject, field, List.of(new ValueRange.Except(List.of(value))), true);
      case LESS -> range(expr, subject, field, below(value, false), false);
      case LESS_OR_EQUAL -> range(expr, subject, field, below(value, true), false);
      case GREATER -> range(expr, subject, field, above(value, false), false);
      case GREATER_OR_EQUAL -> range(expr, subject, field, above(value, true), false);
      default -> null;
    };
  }

  private static List<ValueRange> below(JsonNode value, boolean inclusive) {
    return Values.isScalar(value)
        ? List.of(new ValueRange.Between(null, true, value, inclusive))
        : List.of();
  }

  private static List<ValueRange> above(JsonNode value, boolean inclusive) {
    return Values.isScalar(value)
        ? List.of(new ValueRange.Between(value, inclusive, null, true))
        : List.of();
  }

  private @Nullable Predicate between(Expr.Between expr) {
    FieldRef field = scope.field(expr.operand());
    JsonNode low = constants.value(expr.low());
    JsonNode high = constants.value(expr.high());
    if (field == null || low == null || high == null) {
      return null;
    }
    boolean possible =
        Values.isScalar(low)
            && low.getNodeType() == high.getNodeType()
            && Values.compare(low, high) <= 0;
    List<ValueRange> ranges =
        possible ? List.of(new ValueRange.Between(low, true, high, true)) : List.of();
    return range(expr, expr.operand(), field, ranges, false);
  }

  private @Nullable Predicate in(Expr.In expr) {
    FieldRef field = scope.field(expr.operand());
    if (field == null) {
      return null;
    }
    List<JsonNode> values = new ArrayList<>(expr.list().size());
    boolean containers = false;
    for (Expr element : expr.list()) {
      JsonNode value = constants.value(element);
      if (value == null) {
        return null;
      }
      if (!value.isMissingNode()) {
        values.add(value);
        containers |= value.isContainerNode();
      }
    }
    if (expr.negated()) {
      return new Predicate(
          expr,
          expr.operand(),
          field,
          Predicate.Kind.SOME,
          List.of(new ValueRange.Except(values)),
          values.size() == expr.list().size(),
          true,
          AccessClass.PRECISE_INDEX_SCAN,
          false);
    }
    List<ValueRange> points = new ArrayList<>(values.size());
    values.forEach(value -> points.add(new ValueRange.Point(value)));
    return new Predicate(
        expr,
        expr.operand(),
        field,
        Predicate.Kind.SOME,
        points,
        true,
        containers,
        AccessClass.INDEX_SEEK,
        false);
  }

  private @Nullable Predicate like(Expr.Like expr) {
    FieldRef field = scope.field(expr.operand());
    JsonNode pattern = constants.value(expr.pattern());
    if (field == null || pattern == null) {
      return null;
    }
    if (!pattern.isTextual()) {
      return range(expr, expr.operand(), field, List.of(), false);
    }
    LikePattern compiled = LikePattern.compile(pattern.textValue(), expr.escape());
    if (compiled == null) {
      return range(expr, expr.operand(), field, List.of(), false);
    }
    if (expr.negated() || compiled.literalPrefix().isEmpty() && !compiled.isExact()) {
      return texts(expr, expr.operand(), field);
    }
    String prefix = compiled.literalPrefix();
    if (compiled.isExact()) {
      return equal(expr, expr.operand(), field, Values.text(prefix), Predicate.Kind.FUNCTION);
    }
    return new Predicate(
        expr,
        expr.operand(),
        field,
        Predicate.Kind.FUNCTION,
        List.of(new ValueRange.Prefix(prefix)),
        compiled.isPrefix(),
        false,
        AccessClass.PRECISE_INDEX_SCAN,
        !compiled.isPrefix());
  }

  static Predicate equal(
      Expr expr, Expr subject, FieldRef field, JsonNode value, Predicate.Kind kind) {
    return new Predicate(
        expr,
        subject,
        field,
        kind,
        value.isMissingNode() ? List.of() : List.of(new ValueRange.Point(value)),
        true,
        value.isContainerNode(),
        AccessClass.INDEX_SEEK,
        false);
  }

  static Predicate range(
      Expr expr, Expr subject, FieldRef field, List<ValueRange> ranges, boolean containers) {
    return new Predicate(
        expr,
        subject,
        field,
        Predicate.Kind.RANGE,
        ranges,
        true,
        containers,
        AccessClass.PRECISE_INDEX_SCAN,
        false);
  }

  /** Returns a predicate with which each text of the field is tested. */
  static Predicate texts(Expr expr, Expr subject, FieldRef field) {
    ValueRange all = new ValueRange.Types(ValueType.STRING, ValueType.STRING);
    return tested(expr, subject, field, List.of(all), AccessClass.FULL_INDEX_SCAN);
  }

  /** Returns a predicate with which each value of some ranges is tested. */
  static Predicate tested(
      Expr expr, Expr subject, FieldRef field, List<ValueRange> ranges, AccessClass accessClass) {
    return new Predicate(
        expr, subject, field, Predicate.Kind.FUNCTION, ranges, false, false, accessClass, true);
  }
}
