package io.kvreactive.web.internal.stream;

/**
 * A message that is not one of the protocol: it cannot even be said which subscription it means.
 */
final class BadFrameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param detail what was found and what was expected; the client reads it
   */
  BadFrameException(String detail) {
    super(detail, null, false, false);
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
