package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.eval.Budget;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.eval.Row;
import io.kvreactive.documents.internal.plan.Predicate;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import java.util.Iterator;
import java.util.List;

/**
 * Tests the value in an index key with a condition, so that items that do not match are not loaded.
 */
final class KeyFilter implements java.util.function.Predicate<DecodedValue> {
  private final QueryProgram program;
  private final EvaluationContext context;
  private final Budget budget;

  KeyFilter(Predicate predicate, EvaluationContext context, Budget budget) {
    Expr condition = replaced(predicate.expr(), predicate.subject());
    Query.Source item =
        new Query.Source.Path(QueryBinder.ROOT, List.of(), QueryBinder.ROOT, false, Span.NONE);
    this.program =
        QueryProgram.of(Query.ofValue(condition, List.of(item), null, List.of(), Span.NONE));
    this.context = context;
    this.budget = budget;
  }

  /** Returns the condition with the indexed value in place of its subject. */
  private static Expr replaced(Expr expr, Expr subject) {
    return expr == subject
        ? new Expr.Identifier(QueryBinder.ROOT, Span.NONE)
        : ChildExpressions.map(expr, part -> replaced(part, subject));
  }

  @Override
  public boolean test(DecodedValue value) {
    if (!value.exact()) {
      return true; // the item decides
    }
    Iterator<Row> rows = program.expand(value.value(), context, budget);
    return rows.hasNext() && Values.isTrue(program.project(rows.next()));
  }
}
