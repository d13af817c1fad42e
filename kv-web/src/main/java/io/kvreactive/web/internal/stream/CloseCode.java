package io.kvreactive.web.internal.stream;

/** The reasons for which the server closes a connection, with their close codes. */
enum CloseCode {
  /** The client has no subscription and was silent for too long. */
  IDLE(1000),
  /** The server is stopping. */
  GOING_AWAY(1001),
  /** A message exceeds the maximum size. */
  TOO_BIG(1009),
  /** The server has a defect. */
  INTERNAL(1011),
  /** The server's memory for WebSockets is spent. The client may reconnect later. */
  TRY_AGAIN_LATER(1013),
  /** A message violates the protocol. */
  BAD_FRAME(4400),
  /** The token has expired or was revoked. */
  TOKEN_EXPIRED(4401),
  /** The client has accepted no bytes for too long. */
  SLOW_CONSUMER(4408);

  private final short code;

  CloseCode(int code) {
    this.code = (short) code;
  }

  short code() {
    return code;
  }
}
