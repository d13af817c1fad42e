package io.kvreactive.web.internal.http;

/** A request that is answered with a {@link WebErrorCode}. */
public final class WebException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final WebErrorCode code;

  /**
   * @param detail the offending value and what was expected; the caller reads it
   */
  public WebException(WebErrorCode code, String detail) {
    super(detail, null, false, false);
    this.code = code;
  }

  public WebErrorCode code() {
    return code;
  }

  /** The message for the caller. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
