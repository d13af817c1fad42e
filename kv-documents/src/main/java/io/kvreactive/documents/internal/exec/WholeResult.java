package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.internal.eval.Budget;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.internal.worker.HeldResults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All rows of a query that combines rows, such as GROUP BY or DISTINCT, as JSON in one buffer.
 * Pages are parts of it. A mark of each row, its group or value as a hash, finds the position of a
 * page in a result that was computed again.
 */
final class WholeResult implements HeldResults.Result {
  /** Number of marks of a continuation token: later rows may have disappeared. */
  private static final int MARKS = 8;

  private static final int ROW_BYTES = 2 * Integer.BYTES;
  private static final int MAX_BYTES = 1 << 30;

  private final Versionstamp version;
  private final boolean isGrouped;
  private final Budget budget;
  private byte[] json = new byte[0];
  private int[] ends = new int[0];
  private int[] marks = new int[0];
  private int size;

  /**
   * Creates a result without rows.
   *
   * @param version the version of the snapshot of all rows
   * @param isGrouped true if the keys of a row are its group
   */
  WholeResult(Versionstamp version, boolean isGrouped, Budget budget) {
    this.version = version;
    this.isGrouped = isGrouped;
    this.budget = budget;
  }

  void add(ResultRow row) {
    byte[] text = Json.write(row.value());
    int from = end(size);
    if (from + text.length > json.length) {
      json = Arrays.copyOf(json, grown(json.length, from + text.length, 1));
    }
    if (size == ends.length) {
      int capacity = grown(size, size + 16, ROW_BYTES);
      ends = Arrays.copyOf(ends, capacity);
      marks = Arrays.copyOf(marks, capacity);
    }
    System.arraycopy(text, 0, json, from, text.length);
    ends[size] = from + text.length;
    int mark = 1;
    for (JsonNode part : isGrouped ? row.keys() : List.of(row.value())) {
      mark = 31 * mark + Values.hash(part);
    }
    marks[size++] = mark;
  }

  /** Returns a larger capacity, whose memory is held in the budget before it is taken. */
  private int grown(int capacity, long needed, int width) {
    long grown = Math.min(MAX_BYTES, Math.max(needed, capacity + (capacity >> 1)));
    if (needed > grown) {
      throw QueryBudget.exceeded("rows", MAX_BYTES);
    }
    budget.hold((grown - capacity) * width);
    return (int) grown;
  }

  private int end(int count) {
    return count == 0 ? 0 : ends[count - 1];
  }

  @Override
  public long bytes() {
    return json.length + (long) ends.length * ROW_BYTES;
  }

  Versionstamp version() {
    return version;
  }

  int size() {
    return size;
  }

  /** Returns the end of the page that starts at a row. A page has at least one row. */
  int pageEnd(int from, QueryOptions options) {
    int end = from;
    while (end < size
        && end - from < options.maxItemCount()
        && (end == from || (long) end(end + 1) - end(from) <= options.maxPageBytes())) {
      end++;
    }
    return end;
  }

  /** Returns the rows of a page. */
  List<JsonNode> rows(int from, int to) {
    List<JsonNode> rows = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      checkpoint();
      rows.add(Json.parseAnswer(Arrays.copyOfRange(json, end(i), end(i + 1))));
    }
    return rows;
  }

  /** Returns the marks of the last rows before a position, the last one first. */
  List<Integer> marksBefore(int position) {
    List<Integer> last = new ArrayList<>(MARKS);
    for (int i = position - 1; i >= 0 && last.size() < MARKS; i--) {
      last.add(marks[i]);
    }
    return last;
  }

  /**
   * Returns the position after the last row of an earlier result that this result still has. If it
   * has none of them, it is the same position.
   *
   * @param position the position in the earlier result
   * @param before its {@link #marksBefore}
   */
  int positionAfter(long position, List<Integer> before) {
    for (int mark : before) {
      int nearest = -1;
      for (int i = 0; i < size; i++) {
        if (marks[i] == mark
            && (nearest < 0 || Math.abs(i + 1 - position) < Math.abs(nearest + 1 - position))) {
          nearest = i;
        }
      }
      if (nearest >= 0) {
        return nearest + 1;
      }
    }
    return (int) Math.min(position, size);
  }
}
