package io.kvreactive.server.client;

/** Thrown if the key does not exist on the server. */
final class NoSuchKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoSuchKeyException() {
    super("key not found", null, false, false);
  }
}
