package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the rows of one run of a query, after DISTINCT, OFFSET and LIMIT. Calls must not
 * overlap.
 */
final class RowCursor implements AutoCloseable {
  private final SnapshotReader reader;
  private final Operator<ResultRow> rows;
  private final QueryBudget budget;
  private final @Nullable Set<DeepKey> seen;
  private final boolean inOrder;
  private @Nullable JsonNode last;
  private long toSkip;
  private long left;
  private final @Nullable OperatorStats distinct;
  private final @Nullable OperatorStats limit;
  private final OperatorStats stats;

  /** A row of the answer, with the remaining offset and limit after it. */
  record NumberedRow(ResultRow out, long toSkip, long left) {
    JsonNode value() {
      return out.value();
    }
  }

  /**
   * Creates a cursor.
   *
   * @param token the continuation token; null to start at the beginning
   */
  RowCursor(
      SnapshotReader reader,
      QueryProgram program,
      Operator<ResultRow> rows,
      QueryBudget budget,
      @Nullable ContinuationToken token) {
    this.reader = reader;
    this.rows = rows;
    this.budget = budget;
    this.inOrder = program.isDistinctInOrder();
    this.last = token == null ? null : token.last();
    this.seen = program.isDistinct() && !inOrder ? new HashSet<>() : null;
    this.toSkip = token == null ? program.offset() : token.offset();
    this.left = token == null ? program.limit() : token.limit();
    this.distinct = program.isDistinct() ? new OperatorStats("distinct", rows.stats()) : null;
    OperatorStats input = distinct == null ? rows.stats() : distinct;
    this.limit = toSkip > 0 || left < Long.MAX_VALUE ? new OperatorStats("limit", input) : null;
    this.stats = limit == null ? input : limit;
  }

  SnapshotReader reader() {
    return reader;
  }

  /** Returns the counts of the last operator. */
  OperatorStats stats() {
    return stats;
  }

  boolean done() {
    return left == 0 || rows.done();
  }

  /** Returns about {@code wanted} rows, and at least one unless the cursor is done. */
  List<NumberedRow> next(int wanted) {
    List<NumberedRow> out = new ArrayList<>();
    while (out.isEmpty() && !done()) {
      rows.next(toRequest(wanted)).forEach(row -> add(row, out));
    }
    return out;
  }

  private int toRequest(int wanted) {
    long useful = left == Long.MAX_VALUE ? wanted : Math.min(wanted, left);
    return (int) Math.min(useful + Math.min(toSkip, 1024), 100_001);
  }

  private void add(ResultRow row, List<NumberedRow> out) {
    checkpoint();
    if (left == 0) {
      return;
    }
    if (inOrder) {
      if (last != null && Values.equal(last, row.value())) {
        return;
      }
      last = row.value();
    }
    if (seen != null) {
      if (!seen.add(new DeepKey(row.value()))) {
        return;
      }
      budget.hold(64 + MemoryEstimator.of(row.value()));
    }
    if (distinct != null) {
      distinct.pass(1);
    }
    if (toSkip > 0) {
      toSkip--;
      return;
    }
    if (left != Long.MAX_VALUE) {
      left--;
    }
    if (limit != null) {
      limit.pass(1);
    }
    out.add(new NumberedRow(row, toSkip, left));
  }

  @Override
  public void close() {
    budget.cancel();
    reader.snapshot().close();
  }
}
