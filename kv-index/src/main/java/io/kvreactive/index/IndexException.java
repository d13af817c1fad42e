package io.kvreactive.index;

import io.kvreactive.KvError;
import org.jspecify.annotations.Nullable;

/** An error of a collection, an item or a query. Nothing was changed. */
public class IndexException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final IndexErrorCode code;

  public IndexException(IndexErrorCode code, String message) {
    this(code, message, null);
  }

  public IndexException(IndexErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  @Override
  public IndexErrorCode code() {
    return code;
  }

  @Override
  public String detail() {
    return String.valueOf(getMessage());
  }
}
