package io.kvreactive.web;

import io.kvreactive.KvError;

/** A failure that is answered with a {@link WebErrorCode}. */
public final class WebException extends RuntimeException implements KvError {
  private static final long serialVersionUID = 1L;

  private final WebErrorCode code;

  /**
   * Creates an exception.
   *
   * @param detail the offending value and the expected one, for the caller
   */
  public WebException(WebErrorCode code, String detail) {
    super(detail, null, false, false);
    this.code = code;
  }

  @Override
  public WebErrorCode code() {
    return code;
  }

  @Override
  public String detail() {
    return String.valueOf(getMessage());
  }
}
