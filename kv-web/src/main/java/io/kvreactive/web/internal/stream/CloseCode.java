package io.kvreactive.web.internal.stream;

/** Why this side closes a stream. */
enum CloseCode {
  /** The client said nothing for long and has no subscription. */
  IDLE(1000),
  /** The server is being stopped. */
  GOING_AWAY(1001),
  /** A message is larger than it may be. */
  TOO_BIG(1009),
  /** A defect of the server. */
  INTERNAL(1011),
  /** The server's memory for WebSockets is spent: the client may come again later. */
  TRY_AGAIN_LATER(1013),
  /** A message is not one of the protocol. */
  BAD_FRAME(4400),
  /** The token has ended. */
  TOKEN_EXPIRED(4401),
  /** The client has taken nothing for too long. */
  SLOW_CONSUMER(4408);

  private final short code;

  CloseCode(int code) {
    this.code = (short) code;
  }

  short code() {
    return code;
  }
}
