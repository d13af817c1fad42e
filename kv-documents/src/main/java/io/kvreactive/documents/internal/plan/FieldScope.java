package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.ElementStep;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The scope of aliases of one query or subquery, with the field that each alias refers to. */
final class FieldScope {
  private final AtomicInteger sources;
  private final Map<String, @Nullable FieldRef> aliases;

  private FieldScope(AtomicInteger sources, Map<String, @Nullable FieldRef> aliases) {
    this.sources = sources;
    this.aliases = aliases;
  }

  /** Returns the scope of a query over a collection. */
  static FieldScope of(Query query) {
    FieldScope scope = new FieldScope(new AtomicInteger(), new HashMap<>());
    scope.add(query.from());
    return scope;
  }

  /** Returns the scope of a subquery, which sees these aliases too. */
  FieldScope inner(List<Query.Source> from) {
    FieldScope inner = new FieldScope(sources, new HashMap<>(aliases));
    inner.add(from);
    return inner;
  }

  private void add(List<Query.Source> from) {
    for (Query.Source source : from) {
      String alias = source.alias();
      if (source instanceof Query.Source.Path path) {
        // a bound query names the item by a name that is no alias
        FieldRef base = aliases.containsKey(path.root()) ? aliases.get(path.root()) : FieldRef.ROOT;
        aliases.put(path.alias(), base == null ? null : along(base, path));
      } else if (alias != null) {
        aliases.put(alias, null);
      }
    }
  }

  private FieldRef along(FieldRef base, Query.Source.Path path) {
    FieldRef field = base;
    for (Object step : path.steps()) {
      field =
          step instanceof String name
              ? field.then(new MemberStep(name))
              : field.then(new ElementStep(((Number) step).intValue()));
    }
    return path.each() ? field.elements(sources.incrementAndGet()) : field;
  }

  /** Returns a new source number, for elements without an alias. */
  int newSource() {
    return sources.incrementAndGet();
  }

  /** Returns the field that an expression refers to, or null if there is none. */
  @Nullable FieldRef field(Expr expr) {
    if (expr instanceof Expr.Identifier identifier) {
      return aliases.get(identifier.name());
    }
    if (expr instanceof Expr.Member member) {
      FieldRef target = field(member.target());
      return target == null ? null : target.then(new MemberStep(member.name()));
    }
    if (expr instanceof Expr.Element element && element.index() instanceof Expr.Constant constant) {
      JsonNode index = constant.value();
      FieldRef target = field(element.target());
      if (target == null) {
        return null;
      }
      return index.isTextual()
          ? target.then(new MemberStep(index.textValue()))
          : index.isInt() ? target.then(new ElementStep(index.intValue())) : null;
    }
    return null;
  }
}
