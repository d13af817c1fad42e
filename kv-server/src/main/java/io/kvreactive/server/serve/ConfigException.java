package io.kvreactive.server.serve;

/** Thrown for an invalid configuration. The message is shown to the user. */
final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConfigException(String message) {
    super(message, null, false, false);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
