package io.kvreactive.web.internal.stream;

import io.kvreactive.KvException;
import io.kvreactive.web.internal.http.ByteBudget;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocketFrame;
import org.jspecify.annotations.Nullable;

/**
 * Assembles text messages from frames. Vert.x does this too, but loses a message whose first frame
 * is empty, and continues in the middle of a message that was too large.
 */
final class MessageAssembler {
  /** Thrown for a message above the maximum size. */
  static final class TooBigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooBigException(int maxBytes) {
      super("message of more than " + maxBytes + " bytes", null, false, false);
    }
  }

  private final int maxBytes;
  private final ByteBudget.Share memory;
  private @Nullable Buffer begun;

  /**
   * Creates an assembler.
   *
   * @param maxBytes the maximum size of a message
   * @param memory the share that is charged for incomplete messages
   */
  MessageAssembler(int maxBytes, ByteBudget.Share memory) {
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  /**
   * Adds a data frame.
   *
   * @return the complete message; null if frames are missing
   * @throws BadFrameException for binary data
   * @throws TooBigException for a message above the maximum size
   * @throws KvException OVERLOADED if there is no memory for an incomplete message
   */
  @Nullable Buffer take(WebSocketFrame frame) {
    if (frame.isBinary()) {
      throw new BadFrameException("binary message (expected: text)");
    }
    Buffer data = frame.binaryData();
    Buffer before = begun;
    int held = before == null ? 0 : before.length();
    if (data.length() + held > maxBytes) {
      begun = null;
      throw new TooBigException(maxBytes);
    }
    if (frame.isFinal() && before == null) {
      return data;
    }
    if (frame.isFinal()) {
      memory.give(held);
    } else {
      memory.take(data.length());
    }
    Buffer whole = (before == null ? Buffer.buffer() : before).appendBuffer(data);
    begun = frame.isFinal() ? null : whole;
    return frame.isFinal() ? whole : null;
  }
}
