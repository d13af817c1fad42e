package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Binary;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.Constant;
import io.kvreactive.documents.internal.sql.ast.Expr.Unary;
import io.kvreactive.documents.internal.sql.ast.Expr.UnaryOp;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes WHERE for index selection: constants are folded, NOT is pushed down to the leaves, and
 * the result is a list of conjuncts. The result is true for the same rows; where the condition was
 * undefined, the result may be false.
 */
public final class ConditionNormalizer {
  private final ConstantFolding folding = new ConstantFolding();

  private ConditionNormalizer() {}

  /**
   * Returns the conjuncts of a condition: none if every row passes, a single {@code false} if no
   * row does.
   *
   * @param where the bound condition; null if there is none
   */
  public static List<Expr> conjuncts(@Nullable Expr where) {
    if (where == null) {
      return List.of();
    }
    Expr condition = new ConditionNormalizer().condition(where, false);
    return isConstant(condition, true) ? List.of() : OperatorChains.terms(BinaryOp.AND, condition);
  }

  /**
   * Returns the condition, or its negation if {@code negated}. The only constants in the result are
   * {@code true} and its negation.
   */
  private Expr condition(Expr expr, boolean negated) {
    if (expr instanceof Unary unary && unary.op() == UnaryOp.NOT) {
      return condition(unary.operand(), !negated);
    } else if (expr instanceof Binary binary) {
      if (binary.op() == BinaryOp.AND || binary.op() == BinaryOp.OR) {
        return chain(binary, negated);
      }
      Expr tested = comparedWithBoolean(binary);
      if (tested != null) {
        boolean isFalse = (binary.op() == BinaryOp.EQUAL) != isTrueIn(binary);
        return condition(tested, isFalse != negated);
      }
      return leaf(
          new Binary(
              negated ? opposite(binary.op()) : binary.op(),
              binary.left(),
              binary.right(),
              binary.span()),
          negated && opposite(binary.op()) == binary.op());
    } else if (expr instanceof Expr.Between e) {
      return leaf(
          new Expr.Between(e.operand(), e.low(), e.high(), e.negated() != negated, e.span()),
          false);
    } else if (expr instanceof Expr.In e) {
      return leaf(new Expr.In(e.operand(), e.list(), e.negated() != negated, e.span()), false);
    } else if (expr instanceof Expr.Like e) {
      return leaf(
          new Expr.Like(e.operand(), e.pattern(), e.escape(), e.negated() != negated, e.span()),
          false);
    }
    return leaf(expr, negated);
  }

  /**
   * Returns the condition that is compared with a literal boolean, as in {@code c.a > 5 = true}, or
   * null for other comparisons. A condition is true, false or undefined.
   */
  private static @Nullable Expr comparedWithBoolean(Binary binary) {
    if (binary.op() != BinaryOp.EQUAL && binary.op() != BinaryOp.NOT_EQUAL) {
      return null;
    } else if (isBoolean(binary.right()) && isCondition(binary.left())) {
      return binary.left();
    }
    return isBoolean(binary.left()) && isCondition(binary.right()) ? binary.right() : null;
  }

  private static boolean isTrueIn(Binary binary) {
    return isConstant(binary.left(), true) || isConstant(binary.right(), true);
  }

  private static boolean isBoolean(Expr expr) {
    return expr instanceof Constant constant && constant.value().isBoolean();
  }

  private static boolean isCondition(Expr expr) {
    if (expr instanceof Binary binary) {
      return switch (binary.op()) {
        case AND, OR, EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> true;
        default -> false;
      };
    }
    return expr instanceof Unary unary && unary.op() == UnaryOp.NOT
        || expr instanceof Expr.Between
        || expr instanceof Expr.In
        || expr instanceof Expr.Like;
  }

  private Expr chain(Binary chain, boolean negated) {
    BinaryOp op = (chain.op() == BinaryOp.AND) == negated ? BinaryOp.OR : BinaryOp.AND;
    boolean decides = op == BinaryOp.OR;
    List<Expr> terms = new ArrayList<>();
    for (Expr term : OperatorChains.terms(chain.op(), chain)) {
      Expr condition = condition(term, negated);
      if (isConstant(condition, decides)) {
        return condition;
      } else if (!isConstant(condition, !decides)) {
        terms.add(condition);
      }
    }
    return terms.isEmpty() ? bool(!decides, chain.span()) : OperatorChains.of(op, terms);
  }

  private Expr leaf(Expr expr, boolean negated) {
    Expr folded = fold(negated ? new Unary(UnaryOp.NOT, expr, expr.span()) : expr);
    return folded instanceof Constant constant
        ? bool(Values.isTrue(constant.value()), constant.span())
        : folded;
  }

  /**
   * Returns the operator that is true where this operator is false, with both undefined alike; or
   * the same operator if there is none.
   */
  private static BinaryOp opposite(BinaryOp op) {
    return switch (op) {
      case EQUAL -> BinaryOp.NOT_EQUAL;
      case NOT_EQUAL -> BinaryOp.EQUAL;
      case LESS -> BinaryOp.GREATER_OR_EQUAL;
      case LESS_OR_EQUAL -> BinaryOp.GREATER;
      case GREATER -> BinaryOp.LESS_OR_EQUAL;
      case GREATER_OR_EQUAL -> BinaryOp.LESS;
      default -> op;
    };
  }

  /** Folds every part that does not depend on rows, unless its value is too long. */
  private Expr fold(Expr expr) {
    if (expr instanceof Constant
        || expr instanceof Expr.Parameter
        || ChildExpressions.subquery(expr) != null
        || AggregateCalls.isAggregate(expr)) {
      return expr;
    }
    Expr folded = ChildExpressions.map(expr, this::fold);
    return !(folded instanceof Expr.Identifier)
            && ChildExpressions.of(folded).stream().allMatch(Constant.class::isInstance)
            && ExprCompiler.constant(folded, folding) instanceof ConstantEvaluator known
        ? new Constant(known.constant(), expr.span())
        : folded;
  }

  private static boolean isConstant(Expr expr, boolean value) {
    return expr instanceof Constant constant && Values.isTrue(constant.value()) == value;
  }

  private static Constant bool(boolean value, Span span) {
    return new Constant(Values.bool(value), span);
  }
}
