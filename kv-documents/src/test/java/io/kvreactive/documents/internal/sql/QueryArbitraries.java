package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.UnaryOp;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.Select;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Arbitrary syntax trees that the parser can produce. */
final class QueryArbitraries {
  private static final Span AT = Span.NONE;

  private QueryArbitraries() {}

  static Arbitrary<String> names() {
    return Arbitraries.of("c", "x", "_id", "Name9", "root", "value_", "udf", "array", "exists");
  }

  static Arbitrary<String> labels() {
    return Arbitraries.oneOf(
        names(),
        Arbitraries.of("order", "VALUE", "select", "true"),
        Arbitraries.strings().ofMaxLength(5));
  }

  static Arbitrary<Expr> constants() {
    Arbitrary<JsonNode> values =
        Arbitraries.oneOf(
            Arbitraries.longs().map(Values::number),
            Arbitraries.doubles().map(Values::number),
            Arbitraries.of(Double.NaN, Double.NEGATIVE_INFINITY, 1e300, 5e-324).map(Values::number),
            Arbitraries.strings().ofMaxLength(8).map(Values::text),
            Arbitraries.of(Values.TRUE, Values.FALSE, Values.NULL, Values.UNDEFINED));
    return values.map(value -> new Expr.Constant(value, AT));
  }

  private static Arbitrary<Expr> leaves() {
    return Arbitraries.oneOf(
        constants(),
        names().map(name -> new Expr.Identifier(name, AT)),
        names().map(name -> new Expr.Parameter(name, AT)));
  }

  static Arbitrary<Expr> exprs() {
    return exprs(3);
  }

  private static Arbitrary<Expr> exprs(int depth) {
    if (depth == 0) {
      return leaves();
    }
    Arbitrary<Expr> inner = Arbitraries.lazy(() -> exprs(depth - 1));
    Arbitrary<List<Expr>> some = inner.list().ofMaxSize(3);
    Arbitrary<Boolean> not = Arbitraries.of(true, false);
    Arbitrary<Query> query = Arbitraries.lazy(() -> queries(depth - 1));
    return Arbitraries.frequencyOf(
        Tuple.of(4, leaves()),
        Tuple.of(2, Combinators.combine(inner, labels()).as((a, b) -> new Expr.Member(a, b, AT))),
        Tuple.of(1, Combinators.combine(inner, inner).as(QueryArbitraries::element)),
        Tuple.of(
            2,
            Combinators.combine(Arbitraries.of(UnaryOp.class), inner)
                .as((op, a) -> new Expr.Unary(op, a, AT))),
        Tuple.of(
            4,
            Combinators.combine(Arbitraries.of(BinaryOp.class), inner, inner)
                .as(QueryArbitraries::binary)),
        Tuple.of(
            1,
            Combinators.combine(inner, inner, inner, not)
                .as((a, b, c, n) -> new Expr.Between(a, b, c, n, AT))),
        Tuple.of(
            1,
            Combinators.combine(inner, inner.list().ofMinSize(1).ofMaxSize(3), not)
                .as((a, list, n) -> new Expr.In(a, list, n, AT))),
        Tuple.of(
            1,
            Combinators.combine(inner, inner, Arbitraries.of("!", "\\").injectNull(0.5), not)
                .as((a, b, escape, n) -> new Expr.Like(a, b, escape, n, AT))),
        Tuple.of(
            1,
            Combinators.combine(inner, inner, inner)
                .as((a, b, c) -> new Expr.Conditional(a, b, c, AT))),
        Tuple.of(
            1,
            Combinators.combine(names(), some)
                .as((name, list) -> new Expr.Call(name.toUpperCase(Locale.ROOT), list, AT))),
        Tuple.of(1, some.map(list -> new Expr.ArrayLiteral(list, AT))),
        Tuple.of(
            1,
            Combinators.combine(labels(), inner)
                .as(Expr.Pair::new)
                .list()
                .ofMaxSize(3)
                .map(list -> new Expr.ObjectLiteral(list, AT))),
        Tuple.of(
            4,
            Combinators.combine(Arbitraries.of(Expr.SubqueryOp.class), query)
                .as((op, q) -> new Expr.Subquery(op, q, AT))));
  }

  private static Expr binary(BinaryOp op, Expr left, Expr right) {
    return OperatorChains.isChain(op)
        ? OperatorChains.of(op, List.of(left, right))
        : new Expr.Binary(op, left, right, AT);
  }

  private static Expr element(Expr target, Expr index) {
    return index instanceof Expr.Constant constant && constant.value().isTextual()
        ? new Expr.Member(target, constant.value().textValue(), AT)
        : new Expr.Element(target, index, AT);
  }

  static Arbitrary<Query> queries() {
    return queries(2);
  }

  private static Arbitrary<Query> queries(int depth) {
    Arbitrary<Expr> expr = exprs(depth);
    Arbitrary<Expr> count =
        Arbitraries.oneOf(
            Arbitraries.integers()
                .greaterOrEqual(0)
                .map(n -> new Expr.Constant(Values.number((long) n), AT)),
            names().map(name -> new Expr.Parameter(name, AT)));
    Arbitrary<SelectItem> item =
        Combinators.combine(
                expr, Arbitraries.oneOf(names(), Arbitraries.of("order", "by")).injectNull(0.5))
            .as((e, alias) -> new SelectItem(e, alias, AT));
    Arbitrary<Select> select =
        Combinators.combine(
                Arbitraries.of(SelectKind.class),
                Arbitraries.of(true, false),
                count.injectNull(0.7),
                item.list().ofMinSize(1).ofMaxSize(3))
            .as(QueryArbitraries::select);
    Arbitrary<List<Source>> from = source(depth).list().ofMaxSize(3);
    Arbitrary<List<OrderItem>> orderBy =
        Combinators.combine(expr, Arbitraries.of(true, false))
            .as((e, descending) -> new OrderItem(e, descending, AT))
            .list()
            .ofMaxSize(2);
    Arbitrary<List<Expr>> window = count.list().ofSize(2).injectNull(0.7);
    return Combinators.combine(
            select, from, expr.injectNull(0.5), expr.list().ofMaxSize(2), orderBy, window)
        .as(
            (s, f, where, group, order, w) ->
                new Query(
                    s,
                    f,
                    where,
                    group,
                    order,
                    w == null ? null : w.get(0),
                    w == null ? null : w.get(1),
                    AT));
  }

  private static Select select(
      SelectKind kind, boolean distinct, Expr top, List<SelectItem> items) {
    return switch (kind) {
      case STAR -> new Select(kind, distinct, top, List.of());
      case VALUE ->
          new Select(kind, distinct, top, List.of(new SelectItem(items.get(0).expr(), null, AT)));
      case LIST -> new Select(kind, distinct, top, items);
    };
  }

  private static Arbitrary<Source> source(int depth) {
    Arbitrary<List<Object>> steps =
        Arbitraries.oneOf(
                labels().map(label -> (Object) label),
                Arbitraries.integers().greaterOrEqual(0).map(ordinal -> (Object) ordinal))
            .list()
            .ofMaxSize(3);
    Arbitrary<Source> paths =
        Combinators.combine(names(), steps, names().injectNull(0.5), Arbitraries.of(true, false))
            .as(
                (root, path, alias, each) ->
                    new Source.Path(
                        root,
                        path,
                        alias == null && !each
                            ? QueryBuilder.impliedAlias(root, path)
                            : alias == null ? "x" : alias,
                        each,
                        AT));
    if (depth == 0) {
      return paths;
    }
    Arbitrary<Source> subqueries =
        Combinators.combine(
                Arbitraries.lazy(() -> queries(depth - 1)),
                names().injectNull(0.5),
                Arbitraries.of(true, false))
            .as(
                (query, alias, each) ->
                    new Source.Subquery(query, alias, each && alias != null, AT));
    return Arbitraries.oneOf(paths, subqueries);
  }
}
