package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.internal.sql.ast.Query.Select;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import java.util.List;

/** Compiles SELECT: the result of a row. */
final class RowProjection {
  private RowProjection() {}

  /** Returns the evaluator of SELECT, whose value is undefined for rows without a result. */
  static Evaluator of(Select select, ExprCompiler compiler) {
    List<Evaluator> values =
        compiler.compile(select.items().stream().map(SelectItem::expr).toList());
    return switch (select.kind()) {
      case STAR -> row -> row.value(0);
      case VALUE -> values.get(0);
      case LIST -> LiteralConstructors.object(ColumnNames.names(select.items()), values);
    };
  }
}
