package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.collection.ItemFilter;
import io.kvreactive.documents.internal.eval.Budget;
import io.kvreactive.documents.internal.eval.LimitedBudget;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.SqlErrors;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import java.time.InstantSource;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The filter of a patch: the WHERE clause of a query, evaluated on one item. Thread-safe. */
public final class PatchFilter implements ItemFilter {
  /** Maximum number of rows of subqueries and steps of functions: some milliseconds of work. */
  private static final long MAX_STEPS = 100_000;

  private static final long MAX_BYTES = 4 << 20;

  private static final Pattern FROM =
      Pattern.compile("\\s*FROM\\s.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final QueryProgram program;
  private final InstantSource clock;

  private PatchFilter(QueryProgram program, InstantSource clock) {
    this.program = program;
    this.clock = clock;
  }

  /**
   * Compiles a filter: {@code FROM c WHERE …}, or the predicate alone, in which the item is {@code
   * c}.
   *
   * @throws QueryException INVALID_QUERY, with the position in the filter
   */
  public static PatchFilter compile(String filter, InstantSource clock) {
    Matcher from = FROM.matcher(filter);
    String before = from.matches() ? "SELECT VALUE 1 " : "SELECT VALUE 1 FROM c WHERE ";
    try {
      Query query = QueryBinder.bind(Sql.parse(before + filter), Map.of());
      checkForm(query, before.length() + filter.length());
      return new PatchFilter(QueryProgram.of(query), clock);
    } catch (QueryException e) {
      throw new QueryException(
          e.code(),
          e.detailCode(),
          "filter: " + e.detail(),
          within(e.start() - before.length(), filter),
          within(e.end() - before.length(), filter));
    }
  }

  private static int within(int position, String filter) {
    return Math.max(0, Math.min(position, filter.length()));
  }

  private static void checkForm(Query query, int end) {
    if (query.itemSource() == null
        || query.where() == null
        || !query.groupBy().isEmpty()
        || !query.orderBy().isEmpty()
        || query.offset() != null) {
      throw SqlErrors.meaning(
          "a query of another form (expected: FROM c WHERE and a predicate, or the predicate"
              + " alone)",
          new Span(0, end));
    }
  }

  @Override
  public boolean test(CollectionMetadata metadata, long docId, ObjectNode item) {
    ItemContext context = ItemContext.of(metadata.definition(), clock, clock.instant(), docId);
    Budget budget = new LimitedBudget(MAX_STEPS, MAX_BYTES);
    ObjectNode computing = metadata.computed().among(program.members()).view(item);
    return program.rows(computing, context, budget).hasNext();
  }
}
