package io.kvreactive.connect.internal;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;

/**
 * Splits the body of a watch into frames: a length of four bytes, little-endian, and as many bytes.
 * An empty frame is a ping. Holds at most one frame.
 */
final class FrameParser {
  private static final int HEADER = ConnectProtocol.FRAME_HEADER_BYTES;

  private final int maxFrameBytes;
  private final Consumer<byte[]> frames;
  private final byte[] header = new byte[HEADER];
  private int headerBytes;
  private byte[] frame = new byte[0];
  private int frameBytes;

  /**
   * @param frames the consumer of frames other than pings
   */
  FrameParser(int maxFrameBytes, Consumer<byte[]> frames) {
    this.maxFrameBytes = maxFrameBytes;
    this.frames = frames;
  }

  /**
   * @throws AttemptFailure for a frame that exceeds the maximum size
   */
  void add(Buffer chunk) {
    int at = 0;
    while (at < chunk.length()) {
      if (headerBytes < HEADER) {
        header[headerBytes++] = chunk.getByte(at++);
        if (headerBytes == HEADER) {
          begin();
        }
      } else {
        int take = Math.min(chunk.length() - at, length() - frameBytes);
        reserve(frameBytes + take);
        chunk.getBytes(at, at + take, frame, frameBytes);
        at += take;
        frameBytes += take;
        complete();
      }
    }
  }

  private int length() {
    return header[0] & 0xFF
        | (header[1] & 0xFF) << 8
        | (header[2] & 0xFF) << 16
        | (header[3] & 0xFF) << 24;
  }

  private void begin() {
    int length = length();
    if (length < 0 || length > maxFrameBytes) {
      throw AttemptFailure.malformed(
          "frame of "
              + Integer.toUnsignedString(length)
              + " bytes (expected: at most "
              + maxFrameBytes
              + ")");
    }
    frame = new byte[0];
    frameBytes = 0;
    if (length == 0) {
      headerBytes = 0;
    }
  }

  /** Grows the buffer with the received bytes, not with the announced length. */
  private void reserve(int bytes) {
    if (frame.length < bytes) {
      int doubled = Math.max(bytes, Math.min(length(), 2 * frame.length));
      frame = java.util.Arrays.copyOf(frame, doubled);
    }
  }

  private void complete() {
    if (frameBytes == length()) {
      byte[] whole =
          frame.length == frameBytes ? frame : java.util.Arrays.copyOf(frame, frameBytes);
      frame = new byte[0];
      headerBytes = 0;
      frames.accept(whole);
    }
  }
}
