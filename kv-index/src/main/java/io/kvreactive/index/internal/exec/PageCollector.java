package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.QueryOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the rows of a page, up to a number of rows and of bytes, and detects if more rows
 * follow.
 */
final class PageCollector {
  private final int mostRows;
  private final long mostBytes;
  private final List<RowCursor.Numbered> rows = new ArrayList<>();
  private long bytes;
  private boolean more;

  PageCollector(QueryOptions options) {
    this.mostRows = options.maxItemCount();
    this.mostBytes = options.maxPageBytes();
  }

  /** Adds the rows that fit. */
  void add(List<RowCursor.Numbered> next) {
    for (RowCursor.Numbered row : next) {
      long size = RowSizeEstimator.of(row.value(), mostBytes);
      if (more || rows.size() == mostRows || bytes + size > mostBytes && !rows.isEmpty()) {
        more = true;
        return;
      }
      bytes += size;
      rows.add(row);
    }
  }

  /** Returns true if a row was offered that does not fit. */
  boolean hasMore() {
    return more;
  }

  /** Returns the number of rows to request: one more than fits, to detect further rows. */
  int wanted() {
    return mostRows + 1 - rows.size();
  }

  List<RowCursor.Numbered> rows() {
    return rows;
  }

  List<JsonNode> values() {
    List<JsonNode> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(row.value()));
    return values;
  }

  /** Returns the error of a single-page query with too many rows. */
  IndexException tooMany() {
    return new IndexException(
        IndexErrorCode.LIMIT_EXCEEDED,
        "Aggregates, GROUP BY and DISTINCT answer in one page, and there are more than "
            + (rows.size() == mostRows
                ? mostRows + " rows: raise maxItemCount"
                : mostBytes + " bytes of rows: raise maxPageBytes")
            + ", or read the rows without pages.");
  }
}
