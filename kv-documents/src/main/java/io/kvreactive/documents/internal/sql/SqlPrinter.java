package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.List;

/** Prints the tree of a query in a canonical form: parsing the text gives an equal tree. */
public final class SqlPrinter {
  private final StringBuilder out = new StringBuilder();
  private final ExprPrinter exprs = new ExprPrinter(out, this);

  private SqlPrinter() {}

  public static String print(Query query) {
    SqlPrinter printer = new SqlPrinter();
    printer.query(query);
    return printer.out.toString();
  }

  public static String print(Expr expr) {
    SqlPrinter printer = new SqlPrinter();
    printer.exprs.print(expr);
    return printer.out.toString();
  }

  void query(Query query) {
    select(query.select());
    for (int i = 0; i < query.from().size(); i++) {
      out.append(i == 0 ? " FROM " : " JOIN ");
      source(query.from().get(i));
    }
    if (query.where() != null) {
      out.append(" WHERE ");
      exprs.print(query.where());
    }
    if (!query.groupBy().isEmpty()) {
      exprs.list(" GROUP BY ", query.groupBy(), exprs::print, "");
    }
    if (!query.orderBy().isEmpty()) {
      exprs.list(" ORDER BY ", query.orderBy(), this::orderItem, "");
    }
    if (query.offset() != null && query.limit() != null) {
      out.append(" OFFSET ");
      exprs.print(query.offset());
      out.append(" LIMIT ");
      exprs.print(query.limit());
    }
  }

  private void select(Query.Select select) {
    out.append(select.distinct() ? "SELECT DISTINCT " : "SELECT ");
    if (select.top() != null) {
      out.append("TOP ");
      exprs.print(select.top());
      out.append(' ');
    }
    if (select.kind() == SelectKind.STAR) {
      out.append('*');
      return;
    } else if (select.kind() == SelectKind.VALUE) {
      out.append("VALUE ");
    }
    exprs.list("", select.items(), this::selectItem, "");
  }

  private void selectItem(SelectItem item) {
    exprs.print(item.expr());
    if (item.alias() != null) {
      out.append(" AS ").append(item.alias());
    }
  }

  private void orderItem(OrderItem item) {
    exprs.print(item.expr());
    if (!ScoreOrderRules.isVectorDistance(item.expr())) {
      out.append(item.descending() ? " DESC" : " ASC");
    }
  }

  private void source(Source source) {
    if (source instanceof Source.Path path) {
      if (path.each()) {
        out.append(path.alias()).append(" IN ");
      }
      out.append(path.root());
      steps(path.steps());
      if (!path.each()
          && !path.alias().equals(QueryBuilder.impliedAlias(path.root(), path.steps()))) {
        out.append(" AS ").append(path.alias());
      }
    } else if (source instanceof Source.Subquery subquery) {
      if (subquery.each()) {
        out.append(subquery.alias()).append(" IN ");
      }
      out.append('(');
      query(subquery.query());
      out.append(')');
      if (!subquery.each() && subquery.alias() != null) {
        out.append(" AS ").append(subquery.alias());
      }
    }
  }

  private void steps(List<Object> steps) {
    for (Object step : steps) {
      if (step instanceof String label) {
        exprs.member(label);
      } else {
        out.append('[').append(step).append(']');
      }
    }
  }
}
