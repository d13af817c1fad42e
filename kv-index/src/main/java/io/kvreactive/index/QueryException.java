package io.kvreactive.index;

/**
 * What is wrong with the text of a query, and where: from {@code start} (inclusive, from 0) to
 * {@code end} (exclusive), in UTF-16 code units.
 */
public final class QueryException extends IndexException {
  private static final long serialVersionUID = 1L;

  private final String detailCode;
  private final int start;
  private final int end;

  /**
   * @param detailCode as Azure Cosmos DB names it: SC1001 for syntax, SC2001 for an unknown name,
   *     SC2005 for an unknown function, …
   */
  public QueryException(
      IndexErrorCode code, String detailCode, String message, int start, int end) {
    super(code, message);
    this.detailCode = detailCode;
    this.start = start;
    this.end = end;
  }

  /** The code that Azure Cosmos DB gives to it, such as SC2001. */
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
