package io.kvreactive.internal.store.log;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One group commit in the log. Little more than a checksummed envelope:
 *
 * <pre>
 *  0  int   magic "KVFR"
 *  4  int   payload length in bytes
 *  8  int   CRC32C of a salt and everything from offset 12 to the end of the payload
 * 12  int   number of commits; their versions are first, first + 1, …
 * 16  long  version of the first commit
 * 24  long  the last version known to be on the medium when this frame was written
 * 32  long  wall clock, milliseconds since 1970
 * 40  payload: {@link CommitCodec}
 * </pre>
 *
 * Frames start at multiples of 8; the gap is zeros. Numbers are big-endian.
 *
 * @param first version of the first commit
 * @param count number of commits, at least 1
 * @param durable the last version known to be on the medium when this frame was written
 * @param millis wall clock at writing
 * @param payload the encoded commits; shares the buffer it was read from
 * @param length bytes from the start of this frame to the start of the next
 */
record Frame(long first, int count, long durable, long millis, ByteBuffer payload, int length) {
  static final int MAGIC = 0x4B564652;
  static final int HEADER = 40;
  static final int ALIGNMENT = 8;

  long last() {
    return first + count - 1;
  }

  static int aligned(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * What a store's checksums start with, so that bytes of a value that look like a frame are none:
   * nobody outside knows the store's id.
   */
  static long salt(UUID store) {
    return store.getMostSignificantBits() ^ store.getLeastSignificantBits();
  }

  /** Fills in the header before a payload that ends at the buffer's position, and pads; flips. */
  static void finish(
      ByteBuffer frame, long salt, long first, int count, long durable, long millis) {
    int end = frame.position();
    frame.putInt(0, MAGIC).putInt(4, end - HEADER);
    frame.putInt(12, count).putLong(16, first).putLong(24, durable).putLong(32, millis);
    frame.putInt(8, checksum(frame, salt, 0, end));
    for (int pad = aligned(end) - end; pad > 0; pad--) {
      frame.put((byte) 0);
    }
    frame.flip();
  }

  /** Reads the frame at {@code offset}; null when there is no whole, undamaged frame. */
  static @Nullable Frame read(ByteBuffer segment, long salt, int offset) {
    int room = segment.limit() - offset;
    if (room < HEADER || segment.getInt(offset) != MAGIC) {
      return null;
    }
    int payload = segment.getInt(offset + 4);
    int count = segment.getInt(offset + 12);
    if (payload < 0 || payload > room - HEADER || count < 1) {
      return null;
    }
    if (segment.getInt(offset + 8) != checksum(segment, salt, offset, offset + HEADER + payload)) {
      return null;
    }
    return new Frame(
        segment.getLong(offset + 16),
        count,
        segment.getLong(offset + 24),
        segment.getLong(offset + 32),
        segment.slice(offset + HEADER, payload),
        Math.min(room, aligned(HEADER + payload)));
  }

  /** The payload's length by the header at {@code offset}; -1 when that is none. */
  static int payloadLength(ByteBuffer segment, int offset) {
    return segment.getInt(offset) == MAGIC ? Math.max(-1, segment.getInt(offset + 4)) : -1;
  }

  /** The first version by the header at {@code offset}. */
  static long first(ByteBuffer segment, int offset) {
    return segment.getLong(offset + 16);
  }

  /** The last version by the header at {@code offset}. */
  static long last(ByteBuffer segment, int offset) {
    return first(segment, offset) + segment.getInt(offset + 12) - 1;
  }

  /** The time of the frame whose header is at {@code offset}. */
  static long millis(ByteBuffer segment, int offset) {
    return segment.getLong(offset + 32);
  }

  private static int checksum(ByteBuffer buffer, long salt, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, salt));
    crc.update(buffer.slice(start + 12, end - start - 12));
    return (int) crc.getValue();
  }
}
