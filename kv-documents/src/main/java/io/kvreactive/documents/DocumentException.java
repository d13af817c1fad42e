package io.kvreactive.documents;

import io.kvreactive.KvError;
import org.jspecify.annotations.Nullable;

/**
 * An error of a collection, an item or a query. Nothing was changed. Messages start with the code.
 */
public class DocumentException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final DocumentErrorCode code;
  private final String detail;

  public DocumentException(DocumentErrorCode code, String message) {
    this(code, message, null);
  }

  public DocumentException(DocumentErrorCode code, String message, @Nullable Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
    this.detail = message;
  }

  @Override
  public DocumentErrorCode code() {
    return code;
  }

  @Override
  public String detail() {
    return detail;
  }
}
