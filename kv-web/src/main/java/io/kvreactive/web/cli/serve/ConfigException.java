package io.kvreactive.web.cli.serve;

/** A configuration that is wrong; the message is for whoever wrote it. */
final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConfigException(String message) {
    super(message, null, false, false);
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
