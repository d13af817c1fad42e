package io.kvreactive.index;

import org.jspecify.annotations.Nullable;

/** An error of a collection, an item or a query. Nothing was changed. */
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

  /** Returns the stable error code. */
  public IndexErrorCode code() {
    return code;
  }
}
