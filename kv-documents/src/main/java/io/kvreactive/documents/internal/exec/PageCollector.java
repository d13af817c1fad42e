package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.QueryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the rows of a page, up to a number of rows and of bytes, and detects if more rows
 * follow. A page ends early, but with a row at least, if all queries together hold too much. Of a
 * query that combines rows, collects all rows if they do not fit into the page.
 */
final class PageCollector {
  private static final int NUMBER_BYTES = 8;
  private static final int MAX_WANTED = 1024;

  /** A row is held as a tree, and as the text that is made of it. */
  private static final int COPIES = 2;

  private final int mostRows;
  private final long mostBytes;
  private final QueryBudget budget;
  private final List<RowCursor.NumberedRow> rows = new ArrayList<>();
  private long bytes;
  private boolean more;
  private final @Nullable Supplier<WholeResult> wholeResults;
  private @Nullable WholeResult whole;

  /**
   * Creates a collector.
   *
   * @param budget the budget of the query, which holds the rows
   * @param wholeResults creates the result of a query that combines rows; null for other queries
   * @param isLater true for a later page of such a query
   */
  PageCollector(
      QueryOptions options,
      QueryBudget budget,
      @Nullable Supplier<WholeResult> wholeResults,
      boolean isLater) {
    this.budget = budget;
    this.mostRows = options.maxItemCount();
    this.mostBytes = options.maxPageBytes();
    this.wholeResults = wholeResults;
    this.more = isLater;
  }

  /** Adds the rows that fit. */
  void add(List<RowCursor.NumberedRow> next) {
    for (RowCursor.NumberedRow row : next) {
      long size = sizeOf(row.value(), mostBytes);
      if (more || rows.size() == mostRows || !holds(size) && !rows.isEmpty()) {
        more = true;
        if (wholeResults == null) {
          return;
        }
        whole().add(row.out());
        continue;
      }
      bytes += size;
      rows.add(row);
    }
  }

  private boolean holds(long size) {
    return bytes + size <= mostBytes && budget.tryHoldRow(COPIES * size);
  }

  /**
   * Returns all rows of a query that combines rows, or null if they fit into the first page. For a
   * later page, the rows of earlier pages are among them.
   */
  @Nullable WholeResult wholeIfMore() {
    return wholeResults != null && more ? whole() : null;
  }

  private WholeResult whole() {
    WholeResult all = whole;
    if (all == null) {
      all = requireNonNull(wholeResults).get();
      whole = all;
      for (RowCursor.NumberedRow row : rows) {
        all.add(row.out());
      }
    }
    return all;
  }

  /** Returns true if a row was offered that does not fit. */
  boolean hasMore() {
    return more;
  }

  /** Returns true if no more rows are needed. */
  boolean isComplete() {
    return more && wholeResults == null;
  }

  /** Returns the number of rows to request: one more than fits, to detect further rows. */
  int wanted() {
    return more ? MAX_WANTED : mostRows + 1 - rows.size();
  }

  List<RowCursor.NumberedRow> rows() {
    return rows;
  }

  List<JsonNode> values() {
    List<JsonNode> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(row.value()));
    return values;
  }

  /**
   * Returns the estimated length of a row as JSON.
   *
   * @param enough the length at which counting may end: a value whose parts share others is longer
   *     than its memory
   */
  private static long sizeOf(JsonNode value, long enough) {
    checkpoint();
    if (value.isTextual()) {
      return value.textValue().length() + 2L;
    }
    if (!value.isContainerNode()) {
      return value.isMissingNode()
          ? 0
          : value.isBigInteger() ? value.asText().length() : NUMBER_BYTES;
    }
    long sum = 2;
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> member : value.properties()) {
        sum += member.getKey().length() + 4 + sizeOf(member.getValue(), enough - sum);
        if (sum > enough) {
          break;
        }
      }
      return sum;
    }
    for (JsonNode element : value) {
      sum += 1 + sizeOf(element, enough - sum);
      if (sum > enough) {
        break;
      }
    }
    return sum;
  }
}
