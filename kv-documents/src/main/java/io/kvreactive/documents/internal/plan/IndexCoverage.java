package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines the fields that a query reads, and the indexes that cover them. */
final class IndexCoverage {
  private final FieldScope scope;
  private final Set<IndexPath> paths = new LinkedHashSet<>();
  private boolean unknown;

  private IndexCoverage(FieldScope scope) {
    this.scope = scope;
  }

  /**
   * Returns the paths that a query reads; null if they are not known, or if whole items are read.
   */
  static @Nullable Set<IndexPath> of(Query query, FieldScope scope) {
    if (query.itemSource() == null || query.select().kind() == Query.SelectKind.STAR) {
      return null;
    }
    IndexCoverage coverage = new IndexCoverage(scope);
    query.select().items().forEach(item -> coverage.add(item.expr()));
    coverage.add(query.where());
    query.groupBy().forEach(coverage::add);
    query.orderBy().forEach(item -> coverage.add(item.expr()));
    return coverage.unknown ? null : coverage.paths;
  }

  private void add(@Nullable Expr expr) {
    if (expr == null || unknown) {
      return;
    }
    FieldRef field = scope.field(expr);
    if (field != null) {
      paths.add(field.exact());
      unknown = field.path().size() == 0 || !field.isSingle();
    } else if (expr instanceof Expr.Identifier || ChildExpressions.subquery(expr) != null) {
      unknown = true;
    } else {
      ChildExpressions.of(expr).forEach(this::add);
    }
  }

  /** Returns true if the entries of an index hold the values of all these paths. */
  static boolean covers(IndexRef index, Set<IndexPath> paths) {
    if (!index.isSingle()) {
      return false;
    }
    if (index instanceof IndexRef.Composite composite) {
      List<IndexPath> own =
          composite.index().components().stream().map(CompositeComponent::path).toList();
      return own.containsAll(paths);
    }
    return index instanceof IndexRef.Range range && Set.of(range.path()).containsAll(paths);
  }
}
