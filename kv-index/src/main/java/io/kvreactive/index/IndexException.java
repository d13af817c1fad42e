package io.kvreactive.index;

import org.jspecify.annotations.Nullable;

/** What is wrong with a collection, an item or a query. Nothing was done. */
public class IndexException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final IndexErrorCode code;

  public IndexException(IndexErrorCode code, String message) {
    this(code, message, null);
  }

  public IndexException(IndexErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The stable name of what is wrong. */
  public IndexErrorCode code() {
    return code;
  }
}
