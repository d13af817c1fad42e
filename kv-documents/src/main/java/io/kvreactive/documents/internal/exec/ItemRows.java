package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.eval.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of items, in the order of the items. */
final class ItemRows extends Operator<ResultRow> {
  /** Maximum number of items in the first batch: a query with few rows should load few items. */
  private static final int FIRST_BATCH = 32;

  private static final int LARGEST_BATCH = 512;

  /**
   * Maximum memory in bytes of the rows made at once: the rows of an item may be much larger than
   * the item.
   */
  private static final long MAX_WEIGHT = 1 << 20;

  private final RowMaker maker;
  private final CandidateSource source;
  private final CoveringReader covering;
  private final ItemLoader loading;
  private final Deque<Candidate> ready = new ArrayDeque<>();
  private @Nullable Candidate current;
  private Iterator<Row> rows = Collections.emptyIterator();
  private long taken;
  private @Nullable ScanPosition finished;
  private final long partial;
  private final long partialRows;
  private int batch = FIRST_BATCH;

  /**
   * Creates the rows of a source.
   *
   * @param token the continuation token; null to start at the beginning
   */
  ItemRows(
      RowMaker maker,
      CandidateSource source,
      CoveringReader covering,
      @Nullable ContinuationToken token) {
    super(OperatorStats.ofRows(maker.program()));
    this.maker = maker;
    this.source = source;
    this.covering = covering;
    this.loading = newLoader(maker.reader(), source.stats());
    this.finished = token == null ? source.start() : token.after();
    this.partial = token == null ? 0 : token.partial();
    this.partialRows = token == null ? 0 : token.rows();
  }

  @Override
  boolean done() {
    return !rows.hasNext() && ready.isEmpty() && loading.done() && source.done();
  }

  @Override
  List<ResultRow> more(int wanted) {
    List<ResultRow> out = new ArrayList<>();
    take(wanted, out);
    if (out.isEmpty() && (!loading.done() || !source.done())) {
      if (loading.done()) {
        loading.add(covering.apply(source.next(toRequest(wanted))));
      }
      ready.addAll(loading.next());
      take(wanted, out);
    }
    return out;
  }

  /** Returns the number of candidates to request for so many rows. */
  private int toRequest(int wanted) {
    boolean first = batch == FIRST_BATCH; // with TOP and an exact index, nothing more is needed
    int requested = Math.min(batch, first ? wanted : Math.max(wanted, FIRST_BATCH));
    batch = Math.min(LARGEST_BATCH, batch * 2);
    return wanted > LARGEST_BATCH
        ? LARGEST_BATCH
        : first ? requested : Math.max(requested, batch / 2);
  }

  private void take(int wanted, List<ResultRow> out) {
    long weight = 0;
    while (out.size() < wanted && weight <= MAX_WEIGHT) {
      maker.budget().step();
      if (rows.hasNext()) {
        weight += row(rows.next(), out);
      } else if (!nextItem()) {
        return;
      }
    }
  }

  /** Adds a row and returns its memory in bytes. */
  private long row(Row row, List<ResultRow> out) {
    taken++;
    Candidate item = current;
    if (item == null || item.docId() == partial && taken <= partialRows) {
      return 0;
    }
    JsonNode value = maker.program().project(row);
    if (value.isMissingNode()) {
      return 0;
    }
    boolean more = rows.hasNext();
    out.add(
        more
            ? new ResultRow(value, item.docId(), finished, item.docId(), taken, List.of())
            : new ResultRow(value, item.docId(), item.position(), 0, 0, List.of()));
    return isItem(value, item) ? 0 : MemoryEstimator.of(value, MAX_WEIGHT);
  }

  /** Returns true if the value is the item itself, which is in memory anyway. */
  @SuppressWarnings("ReferenceEquality") // a copy would use memory
  private static boolean isItem(JsonNode value, Candidate item) {
    return value == item.document();
  }

  private boolean nextItem() {
    Candidate before = current;
    if (before != null) {
      finished = before.position();
      current = null;
    }
    Candidate next = ready.poll();
    if (next == null) {
      return false;
    }
    current = next;
    taken = 0;
    rows = maker.rows(next);
    return true;
  }
}
