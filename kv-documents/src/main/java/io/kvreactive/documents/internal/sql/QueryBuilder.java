package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.Select;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.sql.grammar.SqlParser;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Query} from the parse tree. */
final class QueryBuilder {
  private final ExprBuilder exprs = new ExprBuilder(this);
  private int joins;

  Query query(SqlParser.QueryContext context) {
    Select select = select(context.select());
    List<Source> from = new ArrayList<>();
    if (context.from() != null) {
      joins += context.from().JOIN().size();
      if (joins > SqlLimits.JOINS) {
        throw SqlErrors.limit(
            "A query can have at most " + SqlLimits.JOINS + " JOINs.",
            ExprBuilder.span(context.from()));
      }
      for (SqlParser.SourceContext source : context.from().source()) {
        from.add(source(source));
      }
    }
    Expr where = context.where() == null ? null : exprs.expr(context.where().expr());
    List<Expr> groupBy =
        context.groupBy() == null ? List.of() : exprs.exprs(context.groupBy().expr());
    List<OrderItem> orderBy = new ArrayList<>();
    if (context.orderBy() != null) {
      for (SqlParser.OrderItemContext item : context.orderBy().orderItem()) {
        Expr expr = exprs.expr(item.expr());
        Span span = ExprBuilder.span(item);
        if (ScoreOrderRules.isVectorDistance(expr) && (item.ASC() != null || item.DESC() != null)) {
          throw SqlErrors.meaning(
              "ORDER BY VectorDistance takes neither ASC nor DESC: the closest items come first.",
              span);
        }
        orderBy.add(new OrderItem(expr, item.DESC() != null, span));
      }
    }
    SqlParser.OffsetLimitContext window = context.offsetLimit();
    Expr offset = window == null ? null : count(window.count(0));
    Expr limit = window == null ? null : count(window.count(1));
    return new Query(
        select, from, where, groupBy, orderBy, offset, limit, ExprBuilder.span(context));
  }

  private Select select(SqlParser.SelectContext context) {
    boolean distinct = context.DISTINCT() != null;
    Expr top = context.top() == null ? null : count(context.top().count());
    if (context.STAR() != null) {
      return new Select(SelectKind.STAR, distinct, top, List.of());
    } else if (context.VALUE() != null) {
      Expr value = exprs.expr(context.expr());
      return new Select(
          SelectKind.VALUE, distinct, top, List.of(new SelectItem(value, null, value.span())));
    }
    List<SelectItem> items = new ArrayList<>();
    for (SqlParser.SelectItemContext item : context.selectItem()) {
      String alias =
          item.memberName() != null
              ? item.memberName().getText()
              : item.IDENTIFIER() == null ? null : item.IDENTIFIER().getText();
      items.add(new SelectItem(exprs.expr(item.expr()), alias, ExprBuilder.span(item)));
    }
    return new Select(SelectKind.LIST, distinct, top, items);
  }

  private static Expr count(SqlParser.CountContext context) {
    Span span = ExprBuilder.span(context);
    if (context.PARAMETER() != null) {
      return new Expr.Parameter(context.getText().substring(1), span);
    }
    JsonNode value = SqlLiterals.number(context.getStart(), false);
    return new Expr.Constant(value, span);
  }

  private Source source(SqlParser.SourceContext context) {
    Span span = ExprBuilder.span(context);
    if (context instanceof SqlParser.EachSourceContext each) {
      String alias = each.IDENTIFIER().getText();
      return collection(each.collection(), alias, true, span);
    }
    SqlParser.WholeSourceContext whole = (SqlParser.WholeSourceContext) context;
    String alias = whole.IDENTIFIER() == null ? null : whole.IDENTIFIER().getText();
    return collection(whole.collection(), alias, false, span);
  }

  private Source collection(
      SqlParser.CollectionContext context, @Nullable String alias, boolean each, Span span) {
    if (context instanceof SqlParser.QueryCollectionContext nested) {
      return new Source.Subquery(query(nested.query()), alias, each, span);
    }
    SqlParser.PathCollectionContext path = (SqlParser.PathCollectionContext) context;
    String root = path.IDENTIFIER().getText();
    List<Object> steps = new ArrayList<>();
    for (SqlParser.PathStepContext step : path.pathStep()) {
      steps.add(step(step));
    }
    return new Source.Path(
        root, steps, alias == null ? impliedAlias(root, steps) : alias, each, span);
  }

  private static Object step(SqlParser.PathStepContext context) {
    if (context.memberName() != null) {
      return context.memberName().getText();
    } else if (context.STRING() != null) {
      return SqlLiterals.text(context.STRING().getSymbol());
    }
    Token token = context.INTEGER().getSymbol();
    JsonNode ordinal = SqlLiterals.number(token, false);
    if (!ordinal.canConvertToInt()) {
      throw SqlErrors.syntax(token.getText(), SqlTokenizer.span(token));
    }
    return ordinal.intValue();
  }

  /** Returns the last label as alias; an ordinal is no name. */
  static String impliedAlias(String root, List<Object> steps) {
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (steps.get(i) instanceof String label) {
        return label;
      }
    }
    return root;
  }
}
