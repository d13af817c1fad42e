package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.CallCondition.Comparison;
import io.kvreactive.documents.spi.IndexExtensions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads predicates that are calls of functions of extensions, alone or in a comparison. */
final class CallPredicates {
  private final ConstantValues constants;
  private final FieldScope scope;

  CallPredicates(ConstantValues constants, FieldScope scope) {
    this.constants = constants;
    this.scope = scope;
  }

  /** Returns the predicate, or null if the expression is no such condition. */
  @Nullable Predicate of(Expr expr) {
    if (expr instanceof Expr.Call call) {
      return of(expr, call, Comparison.EQUAL, BooleanNode.TRUE);
    }
    if (expr instanceof Expr.Between between && !between.negated()) {
      return of(expr, between.operand(), Comparison.LESS_OR_EQUAL, between.high());
    }
    if (!(expr instanceof Expr.Binary binary)) {
      return null;
    }
    Comparison comparison = comparison(binary.op());
    if (comparison == null) {
      return null;
    }
    Predicate left = of(expr, binary.left(), comparison, binary.right());
    return left != null ? left : of(expr, binary.right(), mirrored(comparison), binary.left());
  }

  /** Returns a call with any value as predicate, or null if the expression is no such call. */
  @Nullable Predicate unbounded(Expr expr) {
    return expr instanceof Expr.Call call
        ? of(expr, call, Comparison.GREATER_OR_EQUAL, DoubleNode.valueOf(0))
        : null;
  }

  private @Nullable Predicate of(Expr expr, Expr call, Comparison comparison, Expr bound) {
    JsonNode value = call instanceof Expr.Call ? constants.value(bound) : null;
    return value == null ? null : of(expr, (Expr.Call) call, comparison, value);
  }

  private @Nullable Predicate of(Expr expr, Expr.Call call, Comparison comparison, JsonNode bound) {
    if (!IndexExtensions.hasFunction(call.name())) {
      return null;
    }
    List<@Nullable JsonNode> arguments = new ArrayList<>();
    int subject = -1;
    FieldRef field = null;
    for (int i = 0; i < call.arguments().size(); i++) {
      Expr argument = call.arguments().get(i);
      JsonNode value = constants.value(argument);
      arguments.add(value);
      if (value == null) {
        if (subject >= 0) {
          return null; // two arguments depend on the item
        }
        subject = i;
        field = scope.field(argument);
      }
    }
    return field == null
        ? null
        : Predicate.ofCall(
            expr,
            call.arguments().get(subject),
            field,
            new CallCondition(call.name(), subject, arguments, comparison, bound));
  }

  private static @Nullable Comparison comparison(Expr.BinaryOp op) {
    return switch (op) {
      case EQUAL -> Comparison.EQUAL;
      case LESS -> Comparison.LESS;
      case LESS_OR_EQUAL -> Comparison.LESS_OR_EQUAL;
      case GREATER -> Comparison.GREATER;
      case GREATER_OR_EQUAL -> Comparison.GREATER_OR_EQUAL;
      default -> null;
    };
  }

  private static Comparison mirrored(Comparison comparison) {
    return switch (comparison) {
      case EQUAL -> Comparison.EQUAL;
      case LESS -> Comparison.GREATER;
      case LESS_OR_EQUAL -> Comparison.GREATER_OR_EQUAL;
      case GREATER -> Comparison.LESS;
      case GREATER_OR_EQUAL -> Comparison.LESS_OR_EQUAL;
    };
  }
}
