package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.QueryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Collects the rows of a page, up to a number of rows and of bytes, and detects if more rows
 * follow.
 */
final class PageCollector {
  private static final int NUMBER_BYTES = 8;

  private final int mostRows;
  private final long mostBytes;
  private final List<RowCursor.NumberedRow> rows = new ArrayList<>();
  private long bytes;
  private boolean more;

  PageCollector(QueryOptions options) {
    this.mostRows = options.maxItemCount();
    this.mostBytes = options.maxPageBytes();
  }

  /** Adds the rows that fit. */
  void add(List<RowCursor.NumberedRow> next) {
    for (RowCursor.NumberedRow row : next) {
      long size = sizeOf(row.value(), mostBytes);
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

  List<RowCursor.NumberedRow> rows() {
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
