package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the members of items that a bound query reads, so that only these are parsed. */
public final class ItemMembers {
  private final String alias;
  private final Set<String> names = new HashSet<>();
  private boolean isKnown = true;

  private ItemMembers(String alias) {
    this.alias = alias;
  }

  /**
   * Returns the names of the members that a query reads, or null if it may read all of them.
   *
   * @param withOrder true if ORDER BY is included
   */
  public static @Nullable Set<String> of(Query query, boolean withOrder) {
    Query.Source.Path item = query.itemSource();
    if (item == null || query.select().kind() == SelectKind.STAR) {
      return null;
    }
    ItemMembers members = new ItemMembers(item.alias());
    query.select().items().forEach(selected -> members.add(selected.expr()));
    members.add(query.where());
    query.groupBy().forEach(members::add);
    if (withOrder) {
      query.orderBy().forEach(ordered -> members.add(ordered.expr()));
    }
    return members.isKnown ? Set.copyOf(members.names) : null;
  }

  private void add(@Nullable Expr expr) {
    if (expr == null || !isKnown) {
      return;
    }
    if (expr instanceof Expr.Member member && isItem(member.target())) {
      names.add(member.name());
    } else if (expr instanceof Expr.Element element
        && isItem(element.target())
        && element.index() instanceof Expr.Constant index
        && index.value().isTextual()) {
      names.add(index.value().textValue());
    } else if (expr instanceof Expr.Identifier || ChildExpressions.subquery(expr) != null) {
      isKnown = false;
    } else {
      ChildExpressions.of(expr).forEach(this::add);
    }
  }

  private boolean isItem(Expr expr) {
    return expr instanceof Expr.Identifier identifier && identifier.name().equals(alias);
  }
}
