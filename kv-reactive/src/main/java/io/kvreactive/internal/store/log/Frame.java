package io.kvreactive.internal.store.log;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One group commit in the log, or the closing frame of an orderly stop. A checksummed envelope:
 *
 * <pre>
 * 0  int   magic "KVFR"
 * 4  int   payload length in bytes
 * 8  int   CRC32C of a salt and everything from offset 12 to the end of the payload
 * 12  int   number of commits; their versions are first, first + 1, …; 0 in a closing frame
 * 16  long  version of the first commit; in a closing frame, of the next commit
 * 24  long  the last version known to be on the medium when this frame was written
 * 32  long  wall clock, milliseconds since 1970
 * 40  payload: {@link CommitCodec}
 * </pre>
 *
 * Frames start at multiples of 8; the gap is zeros. Numbers are big-endian.
 *
 * <p>A closing frame is the last frame of a store that was stopped in good order: every commit
 * before it is on the medium. It starts at a multiple of {@value #CLOSING_ALIGNMENT}, so that the
 * loss of one page never affects both it and a commit (docs/adr/0016).
 *
 * @param first version of the first commit
 * @param count number of commits; 0 in a closing frame
 * @param durable the last version known to be on the medium when this frame was written
 * @param millis wall clock at writing
 * @param payload the encoded commits; shares the buffer from which it was read
 * @param length bytes from the start of this frame to the start of the next
 */
record Frame(long first, int count, long durable, long millis, ByteBuffer payload, int length) {
  static final int MAGIC = 0x4B564652;
  static final int HEADER = 40;
  static final int ALIGNMENT = 8;

  /** Offset of the first byte that the checksum covers. */
  static final int CHECKED = 12;

  static final int CLOSING_ALIGNMENT = 4096;

  /** Returns true for the closing frame of an orderly stop. */
  boolean isClosing() {
    return count == 0;
  }

  long last() {
    return first + count - 1;
  }

  static int aligned(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * Returns the salt of a store's checksums. It derives from the secret id of the store, so that
   * clients cannot craft values whose bytes are mistaken for frames.
   */
  static long salt(UUID store) {
    return store.getMostSignificantBits() ^ store.getLeastSignificantBits();
  }

  /**
   * Fills in the header before a payload that ends at the buffer's position, pads, and flips the
   * buffer.
   */
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

  /**
   * Reads the frame at {@code offset}, or returns null if there is no complete, undamaged frame.
   */
  static @Nullable Frame read(ByteBuffer segment, long salt, int offset) {
    if (!isPlausible(segment, offset)) {
      return null;
    }
    int end = offset + HEADER + segment.getInt(offset + 4);
    return storedChecksum(segment, offset) == checksum(segment, salt, offset, end)
        ? of(segment, offset)
        : null;
  }

  /**
   * Returns true if the bytes at an offset have the form of a frame, without checking the checksum.
   * Each commit takes at least one byte of payload.
   */
  static boolean isPlausible(ByteBuffer segment, int offset) {
    int room = segment.limit() - offset;
    if (room < HEADER || segment.getInt(offset) != MAGIC) {
      return false;
    }
    int payload = segment.getInt(offset + 4);
    int count = segment.getInt(offset + 12);
    long first = first(segment, offset);
    long durable = segment.getLong(offset + 24);
    return payload >= 0
        && payload <= room - HEADER
        && count >= 0
        && (count == 0 ? payload == 0 : count <= payload)
        && durable >= 0
        && durable < first;
  }

  /** Returns the frame at an offset whose checksum is valid. */
  static Frame of(ByteBuffer segment, int offset) {
    int room = segment.limit() - offset;
    int payload = segment.getInt(offset + 4);
    return new Frame(
        segment.getLong(offset + 16),
        segment.getInt(offset + 12),
        segment.getLong(offset + 24),
        segment.getLong(offset + 32),
        segment.slice(offset + HEADER, payload),
        Math.min(room, aligned(HEADER + payload)));
  }

  /** Returns the payload's length in the header at {@code offset}; -1 if there is no header. */
  static int payloadLength(ByteBuffer segment, int offset) {
    return segment.getInt(offset) == MAGIC ? Math.max(-1, segment.getInt(offset + 4)) : -1;
  }

  /** Returns the first version in the header at {@code offset}. */
  static long first(ByteBuffer segment, int offset) {
    return segment.getLong(offset + 16);
  }

  /** Returns the last version in the header at {@code offset}. */
  static long last(ByteBuffer segment, int offset) {
    return first(segment, offset) + segment.getInt(offset + 12) - 1;
  }

  /** Returns the time in the header at {@code offset}. */
  static long millis(ByteBuffer segment, int offset) {
    return segment.getLong(offset + 32);
  }

  /** Returns the checksum in the header at {@code offset}. */
  static int storedChecksum(ByteBuffer segment, int offset) {
    return segment.getInt(offset + 8);
  }

  private static int checksum(ByteBuffer buffer, long salt, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(saltBytes(salt));
    crc.update(buffer.slice(start + CHECKED, end - start - CHECKED));
    return (int) crc.getValue();
  }

  /** Returns the bytes with which each checksum starts. */
  static ByteBuffer saltBytes(long salt) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, salt);
  }
}
