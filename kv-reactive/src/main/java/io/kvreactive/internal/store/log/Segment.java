package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment file: a header, then frames. The name carries the first version it may hold, in hex, so
 * that names sort in log order.
 *
 * <pre>
 *  0  8 bytes  "KVRLOG01"
 *  8  16 bytes id of the store
 * 24  long     first version
 * 32  int      CRC32C of the 32 bytes before
 * 36  zeros to 64
 * </pre>
 *
 * @param path the file
 * @param first the first version it may hold
 */
record Segment(Path path, long first) {
  static final int HEADER = 64;
  private static final long MAGIC = 0x4B56524C4F473031L; // "KVRLOG01"
  private static final Pattern NAME = Pattern.compile("log-([0-9a-f]{16})\\.kvlog");

  static Segment in(Path directory, long first) {
    return new Segment(directory.resolve("log-%016x.kvlog".formatted(first)), first);
  }

  /** The segment that a file is by its name; null when it is something else. */
  static @Nullable Segment parse(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    return name.matches() ? new Segment(file, Long.parseUnsignedLong(name.group(1), 16)) : null;
  }

  ByteBuffer header(UUID store) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC);
    header.putLong(store.getMostSignificantBits()).putLong(store.getLeastSignificantBits());
    header.putLong(first);
    header.putInt(checksum(header));
    return header.rewind();
  }

  /** Whether the header is whole; a crash while the segment was made leaves one that is not. */
  boolean hasHeader(ByteBuffer segment) {
    return segment.limit() >= HEADER
        && segment.getLong(0) == MAGIC
        && segment.getInt(32) == checksum(segment);
  }

  /**
   * Checks that a whole header belongs here.
   *
   * @throws KvException CORRUPT when the file belongs to another store or place
   */
  void checkBelongs(ByteBuffer segment, UUID store) {
    UUID found = new UUID(segment.getLong(8), segment.getLong(16));
    if (!found.equals(store) || segment.getLong(24) != first) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "%s is of store %s from version %d (expected: store %s from version %d)"
              .formatted(path, found, segment.getLong(24), store, first));
    }
  }

  private static int checksum(ByteBuffer segment) {
    CRC32C crc = new CRC32C();
    crc.update(segment.slice(0, 32));
    return (int) crc.getValue();
  }
}
