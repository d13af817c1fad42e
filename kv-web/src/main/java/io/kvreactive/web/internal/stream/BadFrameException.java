package io.kvreactive.web.internal.stream;

/** Thrown for a message outside the protocol, whose subscription cannot be identified. */
final class BadFrameException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param detail the actual and the expected content, for the client
   */
  BadFrameException(String detail) {
    super(detail, null, false, false);
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
