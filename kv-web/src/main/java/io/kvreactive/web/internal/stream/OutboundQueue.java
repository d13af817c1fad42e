package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.ops.ServerMeters;
import io.netty.channel.Channel;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The pending output of a socket: the bytes that the socket has not accepted yet. The futures of
 * the writes give the exact number; the socket itself only reports whether it exceeds a threshold.
 * Writing to a closed socket has no effect.
 */
final class OutboundQueue {
  private static final int MAX_REASON_BYTES = 120;

  /** Assumed size in bytes of a frame without large entries. */
  private static final int USUAL_BYTES = 64 << 10;

  private final ServerWebSocket ws;
  private final Channel channel;
  private final int most;
  private final ByteBudget.Share memory;
  private final ServerMeters meters;
  private final Runnable room;
  private int waiting;
  private long acceptedNanos;
  private boolean readingIsPaused;
  private boolean throttled;
  private @Nullable Runnable closing;

  /**
   * Creates the queue of a socket.
   *
   * @param most the maximum number of pending bytes
   * @param memory the connection's share of the server's memory
   * @param room the callback for accepted bytes
   */
  OutboundQueue(
      ServerWebSocket ws,
      Channel channel,
      int most,
      ByteBudget.Share memory,
      ServerMeters meters,
      Runnable room) {
    this.ws = ws;
    this.channel = channel;
    this.most = most;
    this.memory = memory;
    this.meters = meters;
    this.room = room;
  }

  boolean isEmpty() {
    return waiting == 0;
  }

  /**
   * Returns true if another frame of the usual size may be written. One frame may always be
   * pending, because what it is made of is in memory already.
   */
  boolean hasRoom() {
    return waiting == 0 || waiting + USUAL_BYTES <= most && !memory.isSpent();
  }

  void send(String text, int bytes) {
    if (waiting == 0) {
      acceptedNanos = System.nanoTime();
    }
    waiting += bytes;
    memory.add(bytes);
    meters.streamWaitingBytes().add(bytes);
    ws.writeTextMessage(text).onComplete(done -> accepted(bytes));
  }

  private void accepted(int bytes) {
    waiting -= bytes;
    memory.give(bytes);
    meters.streamWaitingBytes().add(-bytes);
    acceptedNanos = System.nanoTime();
    if (waiting < most) {
      resumeReading();
    }
    closeIfEmpty();
    room.run();
  }

  /** Returns true if bytes are pending and none were accepted for {@code nanos}. */
  boolean isStuckFor(long now, long nanos) {
    return waiting > 0 && now - acceptedNanos > nanos;
  }

  /**
   * Stops reading from a client that does not read the responses, so that responses do not
   * accumulate.
   */
  void pauseReadingIfFull() {
    if (!readingIsPaused && !ws.isClosed() && (waiting >= most || ws.writeQueueFull())) {
      readingIsPaused = true;
      ws.pause();
    }
  }

  /** Resumes or pauses reading from the client, for the rate limit. */
  void listen(boolean wanted) {
    if (throttled != wanted) {
      return;
    }
    throttled = !wanted;
    if (wanted) {
      resumeReading();
    } else if (!readingIsPaused && !ws.isClosed()) {
      readingIsPaused = true;
      ws.pause();
    }
  }

  void resumeReading() {
    if (readingIsPaused && !throttled && waiting < most) {
      readingIsPaused = false;
      ws.resume();
    }
  }

  /**
   * Closes the socket after the socket has accepted the pending output. Vert.x would log a close
   * frame that is never accepted.
   */
  void close(CloseCode code, String reason) {
    acceptedNanos = System.nanoTime(); // restarts the timeout for a slow client
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
   * Ends the connection immediately. Uses Netty, because Vert.x would wait until the close frame is
   * accepted, possibly forever. The call starts at the first handler, because the last one belongs
   * to Vert.x.
   */
  void cut() {
    var unused = channel.pipeline().firstContext().close();
  }
}
