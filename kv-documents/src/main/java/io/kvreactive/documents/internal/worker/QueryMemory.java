package io.kvreactive.documents.internal.worker;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limit of the heap that running queries hold, for all stores that share threads. The queries
 * of one caller hold at most half of it, so that others can go on. Thread-safe.
 */
public final class QueryMemory {
  private final long maxBytes;
  private final Map<String, Long> byCaller = new HashMap<>(); // guarded by this
  private long used; // guarded by this

  /**
   * Creates a limit.
   *
   * @param maxBytes the maximum number of bytes
   */
  QueryMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the maximum number of bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns the number of bytes held by all queries. */
  public synchronized long usedBytes() {
    return used;
  }

  /**
   * Takes memory for a query.
   *
   * @param caller the caller of the query; null if it has none
   * @throws DocumentException QUERY_BUDGET_EXCEEDED if there is not so much left
   */
  synchronized void take(@Nullable String caller, long bytes) {
    if (!tryTake(caller, bytes)) {
      throw isBeyondShare(caller, bytes)
          ? exceeded("The queries of one caller", maxBytes / 2)
          : exceeded("All queries together", maxBytes);
    }
  }

  /** Takes memory for a query. Returns false if there is not so much left. */
  synchronized boolean tryTake(@Nullable String caller, long bytes) {
    if (isBeyondShare(caller, bytes) || used + bytes > maxBytes) {
      return false;
    }
    if (caller != null) {
      byCaller.merge(caller, bytes, Long::sum);
    }
    used += bytes;
    return true;
  }

  private boolean isBeyondShare(@Nullable String caller, long more) {
    return caller != null && byCaller.getOrDefault(caller, 0L) + more > maxBytes / 2;
  }

  /** Gives back memory that was taken. */
  synchronized void give(@Nullable String caller, long bytes) {
    used -= bytes;
    if (caller != null) {
      byCaller.computeIfPresent(caller, (key, held) -> held == bytes ? null : held - bytes);
    }
  }

  private static DocumentException exceeded(String whose, long limit) {
    return new DocumentException(
        DocumentErrorCode.QUERY_BUDGET_EXCEEDED,
        whose
            + " would have to hold rows, groups or values of more than "
            + limit
            + " bytes. Try again when others have ended, add an index that serves the query, as its"
            + " explanation advises, narrow it by WHERE, TOP or LIMIT, or raise maxQueryMemory.");
  }
}
