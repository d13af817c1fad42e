package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.ops.ServerMeters;
import io.netty.channel.Channel;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The output of a socket that the socket has not accepted yet. It is counted exactly by the futures
 * of the writes; the socket itself only reports if it exceeds a threshold. Writing to a closed
 * socket has no effect.
 */
final class OutboundQueue {
  private static final int MAX_REASON_BYTES = 120;

  /** Size of a frame with an entry that is not large. */
  private static final int USUAL_BYTES = 64 << 10;

  private final ServerWebSocket ws;
  private final Channel channel;
  private final int most;
  private final ServerMeters meters;
  private final Runnable room;
  private int waiting;
  private long takenNanos;
  private boolean readingIsPaused;
  private boolean deaf;
  private @Nullable Runnable closing;

  /**
   * @param most the maximum number of pending bytes
   * @param room the callback for accepted bytes
   */
  OutboundQueue(ServerWebSocket ws, Channel channel, int most, ServerMeters meters, Runnable room) {
    this.ws = ws;
    this.channel = channel;
    this.most = most;
    this.meters = meters;
    this.room = room;
  }

  boolean isEmpty() {
    return waiting == 0;
  }

  /** Returns true if a further frame of the usual size may be written. */
  boolean hasRoom() {
    return waiting == 0 || waiting + USUAL_BYTES <= most;
  }

  void send(String text, int bytes) {
    if (waiting == 0) {
      takenNanos = System.nanoTime();
    }
    waiting += bytes;
    meters.streamWaitingBytes().add(bytes);
    ws.writeTextMessage(text).onComplete(done -> taken(bytes));
  }

  private void taken(int bytes) {
    waiting -= bytes;
    meters.streamWaitingBytes().add(-bytes);
    takenNanos = System.nanoTime();
    if (waiting < most) {
      resumeReading();
    }
    closeIfEmpty();
    room.run();
  }

  /** Returns true if bytes are pending and none were accepted for {@code nanos}. */
  boolean isStuckFor(long now, long nanos) {
    return waiting > 0 && now - takenNanos > nanos;
  }

  /** Stops reading from a client that does not read its responses: they must not accumulate. */
  void pauseReadingIfFull() {
    if (!readingIsPaused && !ws.isClosed() && (waiting >= most || ws.writeQueueFull())) {
      readingIsPaused = true;
      ws.pause();
    }
  }

  /** Enables or disables reading from the client on behalf of the rate limit. */
  void listen(boolean wanted) {
    if (deaf != wanted) {
      return;
    }
    deaf = !wanted;
    if (wanted) {
      resumeReading();
    } else if (!readingIsPaused && !ws.isClosed()) {
      readingIsPaused = true;
      ws.pause();
    }
  }

  void resumeReading() {
    if (readingIsPaused && !deaf && waiting < most) {
      readingIsPaused = false;
      ws.resume();
    }
  }

  /**
   * Closes the socket after the pending output was accepted: Vert.x would log a close frame that is
   * never accepted.
   */
  void close(CloseCode code, String reason) {
    takenNanos = System.nanoTime(); // restarts the timeout for a slow client
    closing = () -> close(code.code(), cut(reason));
    closeIfEmpty();
  }

  private void closeIfEmpty() {
    Runnable close = closing;
    if (close != null && waiting == 0) {
      closing = null;
      close.run();
    }
  }

  private void close(short code, String reason) {
    if (!ws.isClosed()) {
      ws.close(code, reason);
      ws.resume(); // to receive the close frame of the client
    }
  }

  private static String cut(String reason) {
    String text = reason;
    while (text.getBytes(StandardCharsets.UTF_8).length > MAX_REASON_BYTES) {
      text = text.substring(0, Math.max(0, text.length() - 8));
    }
    return text;
  }

  /**
   * Ends the connection immediately. It uses Netty, because Vert.x would wait until the close frame
   * is accepted, possibly for ever. It starts at the first handler, because the last one is
   * Vert.x's own.
   */
  void cut() {
    var unused = channel.pipeline().firstContext().close();
  }
}
