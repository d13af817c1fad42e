package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.ops.ServerMeters;
import io.netty.channel.Channel;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What is written to a socket and not yet taken by it. Counted by the futures of the writes, which
 * is exact; the socket's own mark only says whether it is beyond some size. A closed socket may be
 * written to: nothing happens.
 */
final class OutboundQueue {
  private static final int MAX_REASON_BYTES = 120;

  /** A frame with an entry that is not large. */
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
   * @param most bytes that may wait
   * @param room run when some have been taken
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

  /** Whether one more frame of the usual size may be written. */
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

  /** Whether bytes wait, and none were taken for so long. */
  boolean isStuckFor(long now, long nanos) {
    return waiting > 0 && now - takenNanos > nanos;
  }

  /** One who does not read what he is answered is not listened to: answers must not pile up. */
  void pauseReadingIfFull() {
    if (!readingIsPaused && !ws.isClosed() && (waiting >= most || ws.writeQueueFull())) {
      readingIsPaused = true;
      ws.pause();
    }
  }

  /** Whether the client is listened to, besides: it may have said too much. */
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

  /** Closes when what waits has been taken: Vert.x would log a close frame that never is. */
  void close(CloseCode code, String reason) {
    takenNanos = System.nanoTime(); // some time yet to take it
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
      ws.resume(); // to see the answer
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
   * Ends the connection at once. By Netty, because Vert.x would wait until the close frame is
   * taken, which may be never; and from the first handler, because the last is Vert.x's own.
   */
  void cut() {
    var unused = channel.pipeline().firstContext().close();
  }
}
