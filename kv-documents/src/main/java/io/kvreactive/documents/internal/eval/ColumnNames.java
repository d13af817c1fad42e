package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of result columns: the alias, or the last name of a path. Other columns are named $1,
 * $2, …, counting only columns without a name.
 */
final class ColumnNames {
  private ColumnNames() {}

  static List<String> names(List<SelectItem> items) {
    List<String> names = new ArrayList<>(items.size());
    int unnamed = 0;
    for (SelectItem item : items) {
      if (item.alias() != null) {
        names.add(item.alias());
      } else if (item.expr() instanceof Expr.Member member) {
        names.add(member.name());
      } else if (item.expr() instanceof Expr.Identifier identifier) {
        names.add(identifier.name());
      } else {
        unnamed++;
        names.add("$" + unnamed);
      }
    }
    return names;
  }
}
