package io.kvreactive.web;

import io.kvreactive.KvError;

/** The codes of {@link WebException}, besides those of the store and of collections. */
public enum WebErrorCode implements KvError.Code {
  /** The JSON, a parameter or a header of the request is invalid. */
  BAD_REQUEST(400),
  /** The token is missing, unknown or expired. */
  UNAUTHENTICATED(401),
  /** The token does not allow the operation. */
  FORBIDDEN(403),
  /** The route, token or file does not exist. */
  NOT_FOUND(404),
  /** The database does not exist. A first write creates it if the server allows that. */
  NO_SUCH_DATABASE(404),
  /** The key does not exist. */
  NO_SUCH_KEY(404),
  /** The route does not support the method. */
  METHOD_NOT_ALLOWED(405),
  /** The route cannot produce any of the accepted types. */
  NOT_ACCEPTABLE(406),
  /** {@code If-Match} or {@code If-None-Match} does not hold; the request had no effect. */
  CHECK_FAILED(412),
  /** The body exceeds the maximum size. */
  PAYLOAD_TOO_LARGE(413),
  /** The route does not support the type of the body. */
  UNSUPPORTED_MEDIA_TYPE(415),
  /** Too many requests; {@code Retry-After} has the time to wait. */
  RATE_LIMITED(429),
  /** The server is starting: its stores are not open yet. */
  STARTING(503),
  /** The server is stopping. */
  GOING_AWAY(503);

  private final int status;

  WebErrorCode(int status) {
    this.status = status;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  @Override
  public boolean retryable() {
    return this == RATE_LIMITED || this == STARTING || this == GOING_AWAY;
  }
}
