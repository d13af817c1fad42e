package io.kvreactive.documents.internal.exec;

import java.util.List;

/**
 * A stream of rows in the order of the answer, before DISTINCT, OFFSET and LIMIT. Calls must not
 * overlap.
 */
interface RowStream {
  /** Returns about {@code wanted} rows, perhaps more; may return none before the end. */
  List<ResultRow> next(int wanted);

  boolean done();

  /** Returns the counts of this operator. */
  OperatorStats stats();
}
