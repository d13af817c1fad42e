package io.kvreactive.index;

/**
 * An error in the text of a query, with its position: from {@code start} (inclusive, from 0) to
 * {@code end} (exclusive), in UTF-16 code units.
 */
public final class QueryException extends IndexException {
  private static final long serialVersionUID = 1L;

  private final String detailCode;
  private final int start;
  private final int end;

  /**
   * Creates an error.
   *
   * @param detailCode the code of Azure Cosmos DB: SC1001 for syntax, SC2001 for an unknown name,
   *     SC2005 for an unknown function, …
   */
  public QueryException(
      IndexErrorCode code, String detailCode, String message, int start, int end) {
    super(code, message);
    this.detailCode = detailCode;
    this.start = start;
    this.end = end;
  }

  /** Returns the error code of Azure Cosmos DB, such as SC2001. */
  public String detailCode() {
    return detailCode;
  }

  public int start() {
    return start;
  }

  public int end() {
    return end;
  }
}
