package io.kvreactive.documents;

import java.util.List;

/**
 * An error in the text of a query, with its position: from {@code start} (inclusive, from 0) to
 * {@code end} (exclusive), in UTF-16 code units.
 */
public final class QueryException extends DocumentException {
  private static final long serialVersionUID = 1L;

  private final String detailCode;
  private final int start;
  private final int end;
  private final List<String> missingIndex;

  /**
   * Creates an error.
   *
   * @param detailCode the code of Azure Cosmos DB: SC1001 for syntax, SC2001 for an unknown name,
   *     SC2005 for an unknown function, …
   */
  public QueryException(
      DocumentErrorCode code, String detailCode, String message, int start, int end) {
    this(code, detailCode, message, start, end, List.of());
  }

  /**
   * Creates an error of a query that lacks an index.
   *
   * @param missingIndex the paths of that index, see {@link #missingIndex}
   */
  public QueryException(
      DocumentErrorCode code,
      String detailCode,
      String message,
      int start,
      int end,
      List<String> missingIndex) {
    super(code, message);
    this.detailCode = detailCode;
    this.start = start;
    this.end = end;
    this.missingIndex = List.copyOf(missingIndex);
  }

  /** Returns the error code of Azure Cosmos DB, such as SC2001. */
  public String detailCode() {
    return detailCode;
  }

  /**
   * Returns the index that would serve the query: one path to include, such as {@code /age/?}, or
   * the paths of a composite index, such as {@code /city ASC} and {@code /age DESC}. Empty if the
   * error has another reason, or no index would serve.
   */
  public List<String> missingIndex() {
    return missingIndex;
  }

  public int start() {
    return start;
  }

  public int end() {
    return end;
  }
}
