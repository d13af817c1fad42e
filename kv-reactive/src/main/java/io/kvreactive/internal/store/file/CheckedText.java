package io.kvreactive.internal.store.file;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Text files of a few lines, of which the last one, {@code crc=…}, has the checksum of the others.
 */
public final class CheckedText {
  private static final String LAST_LINE = "crc=";

  private CheckedText() {}

  /** Returns lines with their checksum. */
  public static String with(String lines) {
    return lines + LAST_LINE + checksum(lines) + "\n";
  }

  /** Returns the lines before the checksum, or null if it does not match. */
  public static @Nullable String lines(String text) {
    int end = text.lastIndexOf(LAST_LINE);
    String lines = end < 0 ? "" : text.substring(0, end);
    return text.equals(with(lines)) ? lines : null;
  }

  private static String checksum(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.ISO_8859_1));
    return Long.toString(crc.getValue());
  }
}
