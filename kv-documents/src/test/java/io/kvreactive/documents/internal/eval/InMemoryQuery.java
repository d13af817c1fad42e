package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.sql.DerivedTables;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a query by scanning items in memory. This is the reference for all faster ways. Its rows
 * take nothing of the memory of all queries, because queries of callers never run here.
 */
public final class InMemoryQuery {
  private InMemoryQuery() {}

  /**
   * Returns all result rows. Items are numbered from 1 for DOCUMENTID.
   *
   * @param bound the query bound by {@link io.kvreactive.documents.internal.sql.QueryBinder}
   */
  public static List<JsonNode> run(
      Query bound, Iterable<JsonNode> items, EvaluationContext context) {
    return run(bound, items, context, Budget.unlimited());
  }

  /** Returns all result rows, within a budget. */
  public static List<JsonNode> run(
      Query bound, Iterable<JsonNode> items, EvaluationContext context, Budget budget) {
    Query derived = DerivedTables.of(bound);
    if (derived != null) {
      List<JsonNode> rows = new ArrayList<>();
      for (JsonNode row : run(derived, items, context, budget)) {
        rows.add(JsonNodeFactory.instance.objectNode().set(DerivedTables.ROW, row));
      }
      return run(DerivedTables.over(bound), rows, new OfRows(context), budget);
    }
    QueryProgram program = QueryProgram.of(bound);
    Iterable<JsonNode> sources =
        program.hasItems() ? items : Collections.singleton(Values.UNDEFINED);
    Iterator<Row> rows = rows(program, sources.iterator(), context, budget);
    Aggregation aggregation =
        program.isAggregate() ? program.newAggregation(context, budget) : null;
    List<JsonNode> answer = new ArrayList<>();
    RowPipeline.run(program, rows, aggregation, budget).forEachRemaining(answer::add);
    return answer;
  }

  private static Iterator<Row> rows(
      QueryProgram program, Iterator<JsonNode> items, EvaluationContext context, Budget budget) {
    return new LookAheadIterator<>() {
      private Iterator<Row> ofItem = Collections.emptyIterator();
      private long number;

      @Override
      @Nullable Row advance() {
        while (!ofItem.hasNext()) {
          if (!items.hasNext()) {
            return null;
          }
          number++;
          ofItem = program.expand(items.next(), new OfItem(context, number), budget);
        }
        return ofItem.next();
      }
    };
  }

  private record OfItem(EvaluationContext context, long documentId) implements EvaluationContext {
    @Override
    public Instant now() {
      return context.now();
    }

    @Override
    public Instant queryTime() {
      return context.queryTime();
    }

    @Override
    public double random() {
      return context.random();
    }

    @Override
    public @Nullable VectorEmbedding vectorEmbedding(String path) {
      return context.vectorEmbedding(path);
    }

    @Override
    public GeospatialType geospatialType() {
      return context.geospatialType();
    }
  }

  /**
   * The context of the rows of a subquery. These rows are not items, so that embedding policies do
   * not apply to their members.
   */
  private record OfRows(EvaluationContext context) implements EvaluationContext {
    @Override
    public Instant now() {
      return context.now();
    }

    @Override
    public Instant queryTime() {
      return context.queryTime();
    }

    @Override
    public double random() {
      return context.random();
    }

    @Override
    public GeospatialType geospatialType() {
      return context.geospatialType();
    }

    @Override
    public long documentId() {
      return context.documentId();
    }
  }
}
