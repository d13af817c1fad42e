package io.kvreactive.web.internal.stream;

/**
 * Thrown for a message that violates the protocol and belongs to no subscription. Ends the
 * connection with {@link CloseCode#BAD_FRAME}.
 */
final class BadFrameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param detail the actual and the expected content, for the client
   */
  BadFrameException(String detail) {
    super(detail, null, false, false);
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
