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
    /** The rows and the plan. */
    ALSO,
    /** The plan. */
    ONLY
  }

  /** Creates a request for rows. */
  public QueryRequest(SqlQuery query) {
    this(query, Explain.NONE);
  }

  QueryOptions options() {
    return query.options();
  }

  /** Returns the continuation token, or null. */
  @Nullable String continuation() {
    return options().continuation().isEmpty() ? null : options().continuation();
  }
}
