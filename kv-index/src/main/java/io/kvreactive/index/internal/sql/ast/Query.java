package io.kvreactive.index.internal.sql.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query, or one in parentheses inside of another.
 *
 * @param select what rows are made of
 * @param from sources, each may use the aliases of those before it; empty when there is no FROM
 * @param where null when there is none
 * @param groupBy empty when there is none
 * @param orderBy empty when there is none
 * @param offset an int or a parameter; null when there is none, and then {@code limit} is null too
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

  /** What rows are made of. */
  public enum SelectKind {
    /** {@code SELECT *}. */
    STAR,
    /** {@code SELECT VALUE x}: one item. */
    VALUE,
    /** {@code SELECT x, y AS z}. */
    LIST
  }

  /**
   * @param top an int or a parameter; null when there is none
   * @param items empty for STAR, one for VALUE
   */
  public record Select(
      SelectKind kind, boolean distinct, @Nullable Expr top, List<SelectItem> items) {
    public Select {
      items = List.copyOf(items);
    }
  }

  /**
   * @param alias null when there is none
   */
  public record SelectItem(Expr expr, @Nullable String alias, Span span) {}

  public record OrderItem(Expr expr, boolean descending, Span span) {}

  /** What FROM or JOIN takes rows from. */
  public sealed interface Source {
    /** The name that it goes by; null for a subquery without one. */
    @Nullable String alias();

    Span span();

    /**
     * {@code c}, {@code c.children AS x}, {@code ROOT.a["b"][0] x}, and with {@code each} set
     * {@code x IN c.children}.
     *
     * @param root the first name: the collection's, free text, or an alias of the same FROM or of a
     *     query around
     * @param steps what follows it: labels as text, ordinals as numbers
     * @param alias the name it goes by: if none was written the last step, or the root
     * @param each whether it gives a row for each element
     */
    record Path(String root, List<Object> steps, String alias, boolean each, Span span)
        implements Source {
      public Path {
        steps = List.copyOf(steps);
      }
    }

    /** {@code (SELECT …) AS x}, and with {@code each} set {@code x IN (SELECT …)}. */
    record Subquery(Query query, @Nullable String alias, boolean each, Span span)
        implements Source {}
  }
}
