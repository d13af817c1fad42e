package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.Select;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Binds a query: resolves names and rejects semantic errors, so that later phases need no checks.
 * In a bound query every identifier is an alias, and every function is known and has an allowed
 * number of arguments. There are no parameters, and {@code c["x"]} is a member.
 */
public final class QueryBinder {
  /** The name of the item in FROM of a bound query, unless an alias of this name hides it. */
  public static final String ROOT = "ROOT";

  private final ExprBinder exprs;
  private boolean hasItems; // true if the root belongs to items

  private QueryBinder(@Nullable Map<String, JsonNode> parameters, boolean hasItems) {
    this.exprs = new ExprBinder(parameters, this);
    this.hasItems = hasItems;
  }

  /**
   * Binds a query.
   *
   * @param parameters the values by name, with or without the sign; may contain additional
   *     parameters
   * @return the query with values for parameters, and with {@link #ROOT} for any name of the
   *     collection in FROM
   * @throws QueryException INVALID_QUERY: SC2001 for a name, SC2005 for a function, SC2000 for
   *     other errors
   */
  public static Query bind(Query query, Map<String, JsonNode> parameters) {
    return new QueryBinder(parameters, !query.from().isEmpty()).bind(query, null, true);
  }

  /** Binds a query but keeps its parameters. They must not stand for labels or numbers of rows. */
  public static Query bindOpen(Query query) {
    return new QueryBinder(null, !query.from().isEmpty()).bind(query, null, true);
  }

  /**
   * Binds a query.
   *
   * @param first true if an unknown name may stand for the collection, because no alias is known
   *     yet
   */
  Query bind(Query query, @Nullable AliasScope outer, boolean first) {
    AliasScope scope = new AliasScope(outer);
    List<Source> from = new ArrayList<>();
    for (Source source : query.from()) {
      from.add(source(source, scope, first && from.isEmpty()));
      String alias = source.alias();
      if (alias != null && !scope.add(alias)) {
        throw SqlErrors.meaning(
            "The alias '" + alias + "' is used more than once in FROM.", source.span());
      }
      if (first && from.size() == 1 && DerivedTables.of(query) != null) {
        hasItems = false; // the rows of the subquery belong to no item
      }
    }
    Expr where = query.where() == null ? null : exprs.bindRow(query.where(), scope, "WHERE");
    List<Expr> groupBy = new ArrayList<>();
    for (Expr expr : query.groupBy()) {
      groupBy.add(exprs.bindRow(expr, scope, "GROUP BY"));
    }
    List<OrderItem> orderBy = new ArrayList<>();
    for (OrderItem item : query.orderBy()) {
      orderBy.add(order(item, scope, query.orderBy().size() == 1));
    }
    Query bound =
        new Query(
            select(query, scope),
            from,
            where,
            groupBy,
            AggregateCalls.isAggregate(query) && groupBy.isEmpty()
                ? List.of() // there is one row
                : orderBy,
            exprs.count(query.offset(), "OFFSET"),
            exprs.count(query.limit(), "LIMIT"),
            query.span());
    check(bound, scope);
    return bound;
  }

  private Source source(Source source, AliasScope scope, boolean first) {
    if (source instanceof Source.Path path) {
      String root = path.root();
      if (!scope.has(root)) {
        if (!first && !(root.equalsIgnoreCase(ROOT) && hasItems)) {
          throw SqlErrors.unresolved(root, path.span());
        }
        root = ROOT;
      }
      return new Source.Path(root, path.steps(), path.alias(), path.each(), path.span());
    }
    Source.Subquery subquery = (Source.Subquery) source;
    return new Source.Subquery(
        bind(subquery.query(), scope, first), subquery.alias(), subquery.each(), subquery.span());
  }

  private Select select(Query query, AliasScope scope) {
    Select select = query.select();
    if (select.kind() == SelectKind.STAR && query.from().isEmpty()) {
      throw SqlErrors.meaning("'SELECT *' is not valid if FROM clause is omitted.", query.span());
    } else if (select.kind() == SelectKind.STAR && query.from().size() > 1) {
      throw SqlErrors.meaning("'SELECT *' is only valid with a single input set.", query.span());
    }
    Select bound = select.map(expr -> exprs.bindSelect(expr, scope));
    Expr top = exprs.count(select.top(), "TOP");
    return new Select(select.kind(), select.distinct(), top, bound.items());
  }

  private OrderItem order(OrderItem item, AliasScope scope, boolean isOnly) {
    Expr expr = exprs.bindRow(item.expr(), scope, "ORDER BY");
    if (ScoreOrderRules.isScore(expr)) {
      if (!isOnly) {
        throw SqlErrors.meaning(
            "ORDER BY " + SqlPrinter.print(expr) + " cannot be combined with other ORDER BY items.",
            expr.span());
      }
    } else if (!PathResolver.isPath(expr)) {
      throw SqlErrors.meaning(
          "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document"
              + " path.",
          expr.span());
    }
    return new OrderItem(expr, item.descending(), item.span());
  }

  private static void check(Query query, AliasScope scope) {
    if (query.select().top() != null && query.offset() != null) {
      throw SqlErrors.meaning(
          "TOP and OFFSET LIMIT cannot be used together.", query.offset().span());
    }
    if (!AggregateCalls.isAggregate(query)) {
      return;
    }
    if (!query.orderBy().isEmpty()) {
      throw SqlErrors.meaning(
          "ORDER BY cannot be used together with GROUP BY. Sort the groups in a query around it:"
              + " SELECT * FROM (SELECT … GROUP BY …) AS g ORDER BY g.name.",
          query.orderBy().get(0).span());
    }
    GroupByRules.check(query, scope);
  }
}
