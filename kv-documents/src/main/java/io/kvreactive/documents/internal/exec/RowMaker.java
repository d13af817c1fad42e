package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.eval.Aggregation;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.eval.Row;
import java.util.Iterator;

/** Makes the rows of items, for one run of a query. */
record RowMaker(
    SnapshotReader reader, QueryProgram program, ItemContext context, QueryBudget budget) {
  /** Returns the rows of an item, before the projection. */
  Iterator<Row> rows(Candidate item) {
    budget.item();
    return program.expand(item.document(), context.of(item.docId()), budget);
  }

  /** Adds the rows of an item to an aggregation. */
  void add(Candidate item, Aggregation aggregation) {
    Iterator<Row> rows = rows(item);
    while (rows.hasNext()) {
      budget.step();
      aggregation.add(rows.next());
    }
  }
}
