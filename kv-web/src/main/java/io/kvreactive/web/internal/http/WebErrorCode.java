package io.kvreactive.web.internal.http;

/** What only a server can answer, beside the codes of {@code KvErrorCode}; as stable as those. */
public enum WebErrorCode {
  /** The request is not what the route takes: its JSON, a parameter, a header. */
  BAD_REQUEST(400),
  /** No token, or one that is not known, or has expired. */
  UNAUTHENTICATED(401),
  /** The token does not allow this. */
  FORBIDDEN(403),
  /** No such route, token or file. */
  NOT_FOUND(404),
  /** No such database; a first write makes it, if the server makes any. */
  NO_SUCH_DATABASE(404),
  /** The key is absent. */
  NO_SUCH_KEY(404),
  /** The route has no such method. */
  METHOD_NOT_ALLOWED(405),
  /** None of the types that the caller accepts can be had. */
  NOT_ACCEPTABLE(406),
  /** {@code If-Match} or {@code If-None-Match} does not hold; nothing was done. */
  CHECK_FAILED(412),
  /** The body is larger than the server takes. */
  PAYLOAD_TOO_LARGE(413),
  /** The body's type is not what the route takes. */
  UNSUPPORTED_MEDIA_TYPE(415),
  /** Too many requests; {@code Retry-After} tells when to come again. */
  RATE_LIMITED(429),
  /** The server is being started: its stores are not open yet. */
  STARTING(503),
  /** The server is being stopped. */
  GOING_AWAY(503);

  private final int status;

  WebErrorCode(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }

  /** Whether the same request may succeed later. */
  public boolean retryable() {
    return this == RATE_LIMITED || this == STARTING || this == GOING_AWAY;
  }
}
