package io.kvreactive.internal.store.log;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment file: a header, then frames. The name contains the lowest possible first version in
 * hex, so that names sort in log order.
 *
 * <pre>
 * 0  8 bytes  "KVRLOG02"
 * 8  16 bytes id of the store
 * 24  long     first version
 * 32  long     the version of the last commit before it
 * 40  int      CRC32C of the 40 bytes before
 * 44  zeros to 64
 * </pre>
 *
 * <p>The versions between the last commit before a segment and its first version were skipped
 * (docs/adr/0016): no commit of this history has them. Segments of older releases start with
 * "KVRLOG01", have the CRC at offset 32 and skip nothing.
 *
 * @param path the file
 * @param first the lowest possible first version
 * @param previous the version of the last commit before it; below {@code first}
 */
record Segment(Path path, long first, long previous) {
  static final int HEADER = 64;
  private static final long MAGIC = 0x4B56524C4F473032L; // "KVRLOG02"
  private static final long MAGIC_1 = 0x4B56524C4F473031L; // "KVRLOG01"
  private static final int CHECKSUM = 40;
  private static final int CHECKSUM_1 = 32;
  private static final Pattern NAME = Pattern.compile("log-([0-9a-f]{16})\\.kvlog");

  static Segment in(Path directory, long previous, long first) {
    return new Segment(directory.resolve("log-%016x.kvlog".formatted(first)), first, previous);
  }

  /**
   * Returns the segment in a file, or null if its name is not that of a segment. A segment whose
   * header is damaged or missing is assumed to skip nothing.
   */
  static @Nullable Segment read(Path file) throws IOException {
    Matcher name = NAME.matcher(file.getFileName().toString());
    if (!name.matches()) {
      return null;
    }
    long first = Long.parseUnsignedLong(name.group(1), 16);
    Segment plain = new Segment(file, first, first - 1);
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (header.hasRemaining() && channel.read(header, header.position()) >= 0) {
        // until the header is full or the file ends
      }
    } catch (NoSuchFileException e) {
      return plain; // dropped meanwhile; a later read fails
    }
    header.flip();
    return plain.hasHeader(header) ? new Segment(file, first, previous(header)) : plain;
  }

  private static long previous(ByteBuffer header) {
    return header.getLong(0) == MAGIC ? header.getLong(32) : header.getLong(24) - 1;
  }

  ByteBuffer header(UUID store) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC);
    header.putLong(store.getMostSignificantBits()).putLong(store.getLeastSignificantBits());
    header.putLong(first).putLong(previous);
    header.putInt(checksum(header, CHECKSUM));
    return header.rewind();
  }

  /**
   * Returns true if the header is complete; a crash during the creation of a segment leaves an
   * incomplete one.
   */
  boolean hasHeader(ByteBuffer segment) {
    if (segment.limit() < HEADER) {
      return false;
    }
    long magic = segment.getLong(0);
    return magic == MAGIC && segment.getInt(CHECKSUM) == checksum(segment, CHECKSUM)
        || magic == MAGIC_1 && segment.getInt(CHECKSUM_1) == checksum(segment, CHECKSUM_1);
  }

  /**
   * Returns true if a version was lost: it may have been assigned in a history that this log does
   * not continue. The last of the skipped versions was never assigned.
   */
  boolean hasSkipped(long version) {
    return previous < version && version < first - 1;
  }

  /**
   * Checks that a complete header matches the file's name and store.
   *
   * @throws KvException CORRUPT if the file belongs to another store or position
   */
  void checkBelongs(ByteBuffer segment, UUID store) {
    UUID found = new UUID(segment.getLong(8), segment.getLong(16));
    if (!found.equals(store) || segment.getLong(24) != first || previous >= first) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "%s is of store %s from version %d (expected: store %s from version %d)"
              .formatted(path, found, segment.getLong(24), store, first));
    }
  }

  private static int checksum(ByteBuffer segment, int length) {
    CRC32C crc = new CRC32C();
    crc.update(segment.slice(0, length));
    return (int) crc.getValue();
  }
}
