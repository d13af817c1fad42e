package io.kvreactive.index;

import io.kvreactive.KvError;
import org.jspecify.annotations.Nullable;

/**
 * An error of a collection, an item or a query. Nothing was changed. Messages start with the code.
 */
public class IndexException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final IndexErrorCode code;
  private final String detail;

  public IndexException(IndexErrorCode code, String message) {
    this(code, message, null);
  }

  public IndexException(IndexErrorCode code, String message, @Nullable Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
    this.detail = message;
  }

  @Override
  public IndexErrorCode code() {
    return code;
  }

  @Override
  public String detail() {
    return detail;
  }
}
