package io.kvreactive.protocol;

import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import org.jspecify.annotations.Nullable;

/** A request to run a query. */
public record QueryRequest(SqlQuery query, Explain explain) {
  /** The parts of the answer besides the rows, or instead of them. */
  public enum Explain {
    /** The rows. */
    NONE,
    /** The rows, the plan and the operators that ran. */
    ALSO,
    /** The plan. */
    ONLY
  }

  /** Creates a request for rows, with an explanation if the options of the query ask for it. */
  public QueryRequest(SqlQuery query) {
    this(query, query.options().explain() ? Explain.ALSO : Explain.NONE);
  }

  QueryOptions options() {
    return query.options();
  }

  /** Returns the continuation token, or null. */
  @Nullable String continuation() {
    return options().continuation().isEmpty() ? null : options().continuation();
  }
}
