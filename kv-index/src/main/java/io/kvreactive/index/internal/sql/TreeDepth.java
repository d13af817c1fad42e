package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import java.util.ArrayDeque;
import java.util.Deque;

/** Rejects trees that are too deep for recursive walks, without recursion. */
final class TreeDepth {
  private record Level(Expr expr, int depth) {}

  private TreeDepth() {}

  static void check(Query query) {
    Deque<Level> open = new ArrayDeque<>();
    ChildExpressions.of(query).forEach(part -> open.push(new Level(part, 1)));
    while (!open.isEmpty()) {
      Level next = open.pop();
      if (next.depth() > SqlLimits.TREE_DEPTH) {
        throw SqlErrors.limit(
            "An expression can be at most " + SqlLimits.TREE_DEPTH + " operators deep.",
            next.expr().span());
      }
      ChildExpressions.of(next.expr())
          .forEach(part -> open.push(new Level(part, next.depth() + 1)));
    }
  }
}
