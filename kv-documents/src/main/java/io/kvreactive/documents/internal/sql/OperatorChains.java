package io.kvreactive.documents.internal.sql;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Binary;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Builds and splits chains of AND, OR, ?? and ||. The four operators are associative, so that
 * thousands of terms make a balanced, shallow tree; the order of the terms is kept. All trees of
 * this module have this one shape, independent of the parentheses in the text.
 */
public final class OperatorChains {
  private OperatorChains() {}

  public static boolean isChain(BinaryOp op) {
    return op == BinaryOp.AND
        || op == BinaryOp.OR
        || op == BinaryOp.COALESCE
        || op == BinaryOp.CONCAT;
  }

  /** Returns the terms of a chain, in order; for any other expression, the expression itself. */
  public static List<Expr> terms(BinaryOp op, Expr expr) {
    List<Expr> terms = new ArrayList<>();
    Deque<Expr> left = new ArrayDeque<>();
    left.push(expr);
    while (!left.isEmpty()) {
      checkpoint();
      Expr next = left.pop();
      if (next instanceof Binary binary && binary.op() == op) {
        left.push(binary.right());
        left.push(binary.left());
      } else {
        terms.add(next);
      }
    }
    return terms;
  }

  /** Combines parsed terms, at most {@link SqlLimits#TERMS}. */
  static Expr bounded(BinaryOp op, List<Expr> parts) {
    Expr chain = of(op, parts);
    if (parts.size() > 1 && terms(op, chain).size() > SqlLimits.TERMS) {
      throw SqlErrors.limit(
          op.text() + " can combine at most " + SqlLimits.TERMS + " terms.", chain.span());
    }
    return chain;
  }

  /** Combines at least one term; each term may itself be a chain of the same operator. */
  public static Expr of(BinaryOp op, List<Expr> parts) {
    List<Expr> terms = new ArrayList<>();
    for (Expr part : parts) {
      terms.addAll(terms(op, part));
    }
    return balanced(op, terms);
  }

  private static Expr balanced(BinaryOp op, List<Expr> terms) {
    checkpoint();
    if (terms.size() == 1) {
      return terms.get(0);
    }
    int middle = (terms.size() + 1) / 2;
    Expr left = balanced(op, terms.subList(0, middle));
    Expr right = balanced(op, terms.subList(middle, terms.size()));
    return new Binary(op, left, right, left.span().to(right.span()));
  }
}
