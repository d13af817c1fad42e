package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.WatchKeyOutput;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.buffer.Buffer;

/** Encodes the frames of a watch: a length of four bytes, little-endian, and a message. */
final class WatchFrames {
  /** A frame with an empty message, which serves as a heartbeat. */
  static final Buffer PING = Buffer.buffer(new byte[ConnectProtocol.FRAME_HEADER_BYTES]);

  private WatchFrames() {}

  /**
   * Returns a frame in which all keys are marked as changed, because Deno takes an unchanged key
   * for a deleted one.
   *
   * @param withExpiry true if entries have their time of expiry
   * @throws KvException LIMIT_EXCEEDED if the frame exceeds the maximum size that clients accept
   */
  static Buffer frame(ReadResult state, boolean withExpiry) {
    WatchOutput.Builder output = WatchOutput.newBuilder().setStatus(SnapshotReadStatus.SR_SUCCESS);
    for (RangePage page : state.pages()) {
      WatchKeyOutput.Builder key = WatchKeyOutput.newBuilder().setChanged(true);
      if (!page.entries().isEmpty()) {
        key.setEntryIfChanged(WireEntries.entry(page.entries().get(0), withExpiry));
      }
      output.addKeys(key);
    }
    WatchOutput message = output.build();
    int size = message.getSerializedSize();
    if (size < 0 || size > ConnectProtocol.MAX_FRAME_BYTES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "watched keys and values of %d bytes (expected: at most %d together)"
              .formatted(size, ConnectProtocol.MAX_FRAME_BYTES));
    }
    return Buffer.buffer(ConnectProtocol.FRAME_HEADER_BYTES + size)
        .appendIntLE(size)
        .appendBytes(message.toByteArray());
  }
}
