package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.FreeVariables;
import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * FROM, JOIN and WHERE: the rows of one item, or of one row of an outer query. The product of the
 * sources is iterated, never materialized. Each conjunct of WHERE is evaluated as soon as all
 * sources that it refers to have a value.
 */
final class FromWhere {
  private final List<RowSource> sources = new ArrayList<>();

  /** Conjuncts of WHERE, by the number of sources that must have a value before. */
  private final List<List<Evaluator>> filters = new ArrayList<>();

  private final RowSlots slots;

  FromWhere(Query query, RowSlots outer, ConstantFolding folding) {
    slots = new RowSlots(outer);
    filters.add(new ArrayList<>());
    for (Source source : query.from()) {
      sources.add(RowSource.of(source, slots, folding));
      filters.add(new ArrayList<>());
      if (source.alias() != null) {
        slots.add(source, source.alias(), sources.size() - 1);
      }
    }
    if (query.where() != null) {
      ExprCompiler compiler = new ExprCompiler(slots, folding);
      for (Expr term : OperatorChains.terms(Expr.BinaryOp.AND, query.where())) {
        filters.get(sourcesNeeded(term)).add(compiler.compile(term));
      }
    }
  }

  private int sourcesNeeded(Expr term) {
    if (!FunctionCalls.deterministic(term)) {
      return sources.size();
    }
    int needed = 0;
    for (Expr.Identifier name : FreeVariables.of(term)) {
      Integer slot = slots.own(name.name());
      needed = Math.max(needed, slot == null ? 0 : slot + 1);
    }
    return needed;
  }

  RowSlots slots() {
    return slots;
  }

  Iterator<Row> rows(@Nullable Row outer, Execution execution) {
    return new Rows(outer, execution);
  }

  private final class Rows extends LookAheadIterator<Row> {
    private final Row row;
    private final List<Iterator<JsonNode>> open = new ArrayList<>();
    private boolean started;

    Rows(@Nullable Row outer, Execution execution) {
      this.row = new Row(new JsonNode[sources.size()], outer, execution);
    }

    @Override
    @Nullable Row advance() {
      if (!started) {
        started = true;
        row.budget().step();
        if (!passes(0)) {
          return null;
        } else if (sources.isEmpty()) {
          return row;
        }
        open.add(sources.get(0).values(row));
      }
      while (!open.isEmpty()) {
        int source = open.size() - 1;
        Iterator<JsonNode> values = open.get(source);
        if (!values.hasNext()) {
          open.remove(source);
          continue;
        }
        row.budget().step();
        row.set(source, values.next());
        if (!passes(source + 1)) {
          continue;
        } else if (source == sources.size() - 1) {
          return row.copy();
        }
        open.add(sources.get(source + 1).values(row));
      }
      return null;
    }

    private boolean passes(int sourcesSet) {
      for (Evaluator filter : filters.get(sourcesSet)) {
        if (!Values.isTrue(filter.value(row))) {
          return false;
        }
      }
      return true;
    }
  }
}
