package io.kvreactive.documents.internal.sql.ast;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A query or a subquery.
 *
 * @param select the select clause
 * @param from the sources, each of which may use the aliases of those before it; empty without FROM
 * @param where the condition, or null
 * @param groupBy the grouping expressions, possibly empty
 * @param orderBy the terms of ORDER BY, possibly empty
 * @param offset an int or a parameter, or null; if null, {@code limit} is null too
 */
public record Query(
    Select select,
    List<Source> from,
    @Nullable Expr where,
    List<Expr> groupBy,
    List<OrderItem> orderBy,
    @Nullable Expr offset,
    @Nullable Expr limit,
    Span span) {

  public Query {
    from = List.copyOf(from);
    groupBy = List.copyOf(groupBy);
    orderBy = List.copyOf(orderBy);
  }

  /** Returns {@code SELECT VALUE expr} of some sources, with an optional condition and order. */
  public static Query ofValue(
      Expr expr, List<Source> from, @Nullable Expr where, List<OrderItem> orderBy, Span span) {
    Select select =
        new Select(SelectKind.VALUE, false, null, List.of(new SelectItem(expr, null, span)));
    return new Query(select, from, where, List.of(), orderBy, null, null, span);
  }

  /** Returns the same query with other sources. */
  public Query withFrom(List<Source> other) {
    return new Query(select, other, where, groupBy, orderBy, offset, limit, span);
  }

  /** Returns the same query with another condition. */
  public Query withWhere(@Nullable Expr other) {
    return new Query(select, from, other, groupBy, orderBy, offset, limit, span);
  }

  /** Returns the only source if it is the item itself, as in {@code FROM c}; otherwise null. */
  public Source.@Nullable Path itemSource() {
    return from.size() == 1
            && from.get(0) instanceof Source.Path path
            && path.steps().isEmpty()
            && !path.each()
        ? path
        : null;
  }

  /** The forms of SELECT. */
  public enum SelectKind {
    /** {@code SELECT *}. */
    STAR,
    /** {@code SELECT VALUE x}: one item. */
    VALUE,
    /** {@code SELECT x, y AS z}. */
    LIST
  }

  /**
   * A select clause.
   *
   * @param top an int or a parameter, or null
   * @param items the items: empty for STAR, one for VALUE
   */
  public record Select(
      SelectKind kind, boolean distinct, @Nullable Expr top, List<SelectItem> items) {
    public Select {
      items = List.copyOf(items);
    }

    /** Returns the clause with its expressions mapped. */
    public Select map(UnaryOperator<Expr> change) {
      List<SelectItem> changed = new ArrayList<>(items.size());
      for (SelectItem item : items) {
        changed.add(new SelectItem(change.apply(item.expr()), item.alias(), item.span()));
      }
      return new Select(kind, distinct, top, changed);
    }
  }

  /**
   * An item of the select list.
   *
   * @param alias the alias, or null
   */
  public record SelectItem(Expr expr, @Nullable String alias, Span span) {}

  public record OrderItem(Expr expr, boolean descending, Span span) {}

  /** A source of rows in FROM or JOIN. */
  public sealed interface Source {
    /** Returns the alias; null for a subquery without an alias. */
    @Nullable String alias();

    Span span();

    /**
     * A path as source: {@code c}, {@code c.children AS x}, {@code ROOT.a["b"][0] x}, and with
     * {@code each} {@code x IN c.children}.
     *
     * @param root the first name: any name for the collection, or an alias of the same FROM or of
     *     an enclosing query
     * @param steps the steps after the root: labels as text, ordinals as numbers
     * @param alias the alias; by default the last step, or the root
     * @param each true if the source gives a row for each element
     */
    record Path(String root, List<Object> steps, String alias, boolean each, Span span)
        implements Source {
      public Path {
        steps = List.copyOf(steps);
      }
    }

    /**
     * A subquery as source: {@code (SELECT …) AS x}, and with {@code each} {@code x IN (SELECT …)}.
     */
    record Subquery(Query query, @Nullable String alias, boolean each, Span span)
        implements Source {}
  }
}
