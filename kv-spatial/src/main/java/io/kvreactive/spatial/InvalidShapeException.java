package io.kvreactive.spatial;

/** Thrown if a shape is not valid. The message is the reason, for users. */
final class InvalidShapeException extends Exception {
  private static final long serialVersionUID = 1;

  InvalidShapeException(String reason) {
    super(reason, null, false, false);
  }
}
