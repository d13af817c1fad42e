package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.ScoreOrderRules;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compiles bound expressions. Parts that do not depend on rows are folded. */
final class ExprCompiler {
  private final RowSlots slots;
  private final Map<Expr, Integer> known;
  private final ConstantFolding folding;

  /**
   * Creates a compiler.
   *
   * @param known the slots of expressions whose values the row already holds: those of a group
   */
  ExprCompiler(RowSlots slots, Map<Expr, Integer> known, ConstantFolding folding) {
    this.slots = slots;
    this.known = known;
    this.folding = folding;
  }

  ExprCompiler(RowSlots slots, ConstantFolding folding) {
    this(slots, Map.of(), folding);
  }

  /**
   * Compiles an expression without names. The result is a {@link ConstantEvaluator} if the value
   * never varies and is not too long.
   */
  static Evaluator constant(Expr expr, ConstantFolding folding) {
    return new ExprCompiler(RowSlots.ITEM, folding).compile(expr);
  }

  List<Evaluator> compile(List<Expr> exprs) {
    List<Evaluator> compiled = new ArrayList<>(exprs.size());
    for (Expr expr : exprs) {
      compiled.add(compile(expr));
    }
    return compiled;
  }

  Evaluator compile(Expr expr) {
    Integer slot = known.get(expr);
    if (slot != null) {
      int at = slot;
      return row -> row.value(at);
    } else if (expr instanceof Expr.Constant constant) {
      return new ConstantEvaluator(constant.value());
    } else if (expr instanceof Expr.Parameter parameter) {
      String name = parameter.name();
      return row -> row.execution().parameter(name);
    } else if (expr instanceof Expr.Identifier identifier) {
      Evaluator found = slots.find(identifier.name());
      if (found == null) {
        throw new IllegalArgumentException("not bound: " + identifier.name());
      }
      return found;
    } else if (expr instanceof Expr.Call call) {
      return FunctionCalls.compile(call, compile(call.arguments()), slots, folding);
    } else if (expr instanceof Expr.Subquery subquery) {
      return SubqueryCompiler.compile(subquery, slots, folding);
    }
    List<Evaluator> parts = compile(ChildExpressions.of(expr));
    Evaluator evaluator = compile(expr, parts);
    return sharesParts(expr)
        ? ConstantFolding.shared(evaluator, parts)
        : folding.folded(evaluator, parts);
  }

  /** Compiles a sort key. A score becomes a number that is lower the closer the vectors are. */
  Evaluator orderKey(Query query, Expr expr) {
    return ScoreOrderRules.isIn(query) && expr instanceof Expr.Call call
        ? FunctionCalls.rank(call, compile(call.arguments()), slots, folding)
        : compile(expr);
  }

  private static boolean sharesParts(Expr expr) {
    return expr instanceof Expr.ArrayLiteral
        || expr instanceof Expr.ObjectLiteral
        || expr instanceof Expr.Member
        || expr instanceof Expr.Element;
  }

  private static Evaluator compile(Expr expr, List<Evaluator> parts) {
    if (expr instanceof Expr.Member member) {
      Evaluator target = parts.get(0);
      String name = member.name();
      return row -> MemberAccess.member(target.value(row), name);
    } else if (expr instanceof Expr.Element) {
      Evaluator target = parts.get(0);
      Evaluator index = parts.get(1);
      return row -> MemberAccess.at(target.value(row), index.value(row));
    } else if (expr instanceof Expr.Unary unary) {
      return unary(unary.op(), parts.get(0));
    } else if (expr instanceof Expr.Binary binary) {
      return binary(binary.op(), parts.get(0), parts.get(1));
    } else if (expr instanceof Expr.Between between) {
      return row ->
          ThreeValuedLogic.negatedIf(
              between.negated(),
              ThreeValuedLogic.between(
                  parts.get(0).value(row), parts.get(1).value(row), parts.get(2).value(row)));
    } else if (expr instanceof Expr.In in) {
      Evaluator test = InAndLike.in(parts.get(0), parts.subList(1, parts.size()));
      return row -> ThreeValuedLogic.negatedIf(in.negated(), test.value(row));
    } else if (expr instanceof Expr.Like like) {
      Evaluator test = InAndLike.like(parts.get(0), parts.get(1), like.escape());
      return row -> ThreeValuedLogic.negatedIf(like.negated(), test.value(row));
    } else if (expr instanceof Expr.Conditional) {
      Evaluator condition = parts.get(0);
      Evaluator yes = parts.get(1);
      Evaluator no = parts.get(2);
      return row -> Values.isTrue(condition.value(row)) ? yes.value(row) : no.value(row);
    } else if (expr instanceof Expr.ArrayLiteral) {
      return LiteralConstructors.array(parts);
    } else if (expr instanceof Expr.ObjectLiteral object) {
      return LiteralConstructors.object(
          object.members().stream().map(Expr.Pair::name).toList(), parts);
    }
    throw new IllegalArgumentException("not bound: " + expr.getClass().getSimpleName());
  }

  private static Evaluator unary(Expr.UnaryOp op, Evaluator operand) {
    return switch (op) {
      case NOT -> row -> ThreeValuedLogic.not(operand.value(row));
      case PLUS -> row -> Arithmetic.plus(operand.value(row));
      case MINUS -> row -> Arithmetic.minus(operand.value(row));
      case BIT_NOT -> row -> Arithmetic.bitNot(operand.value(row));
    };
  }

  private static Evaluator binary(Expr.BinaryOp op, Evaluator left, Evaluator right) {
    return switch (op) {
      case AND -> ThreeValuedLogic.and(left, right);
      case OR -> ThreeValuedLogic.or(left, right);
      case COALESCE ->
          row -> {
            JsonNode value = left.value(row);
            return value.isMissingNode() ? right.value(row) : value;
          };
      case EQUAL -> row -> Values.isEqual(left.value(row), right.value(row));
      case NOT_EQUAL -> row -> Values.isNotEqual(left.value(row), right.value(row));
      case LESS -> row -> Values.isLess(left.value(row), right.value(row));
      case LESS_OR_EQUAL -> row -> Values.isLessOrEqual(left.value(row), right.value(row));
      case GREATER -> row -> Values.isGreater(left.value(row), right.value(row));
      case GREATER_OR_EQUAL -> row -> Values.isGreaterOrEqual(left.value(row), right.value(row));
      case CONCAT ->
          row -> {
            JsonNode text = Arithmetic.binary(op, left.value(row), right.value(row));
            row.budget().allocated(MemoryEstimator.ofMade(text));
            return text;
          };
      default -> row -> Arithmetic.binary(op, left.value(row), right.value(row));
    };
  }
}
