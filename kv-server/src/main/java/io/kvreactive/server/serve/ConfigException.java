package io.kvreactive.server.serve;

/** Thrown for an invalid configuration; the message is for its author. */
final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConfigException(String message) {
    super(message, null, false, false);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
