package io.kvreactive.web.cli.client;

/** The server has no such key. */
final class NoSuchKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoSuchKeyException() {
    super("no such key", null, false, false);
  }
}
