package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.CheckedText;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The time to which an operator has set a store's clock; the times of earlier commits are ignored.
 * Stored in a file {@code clock-N}. The complete file with the highest number applies, so that the
 * setting is atomic.
 *
 * @param version the last version when the clock was set
 * @param millis the time in milliseconds since 1970
 */
public record ClockSetting(long version, long millis) {
  private static final Pattern NAME = Pattern.compile("clock-([1-9]\\d{0,17})");
  private static final Pattern CONTENT =
      Pattern.compile("kv-reactive clock\nformat=1\nversion=(\\d{1,19})\nmillis=(\\d{1,19})\n");

  private record Numbered(long number, Path file) {}

  /**
   * Returns the setting of a directory, or null if there is none.
   *
   * @throws KvException CORRUPT if the newest file is damaged: without it, the times of commits
   *     count that an operator has ruled out, and keys could expire by them
   */
  public static @Nullable ClockSetting read(Path directory) throws IOException {
    for (Numbered each : files(directory)) {
      ClockSetting setting = parse(each.file);
      if (setting != null) {
        return setting;
      }
    }
    return null;
  }

  /** Returns the files of settings, newest first. */
  private static List<Numbered> files(Path directory) throws IOException {
    List<Numbered> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(
          file -> {
            Matcher name = NAME.matcher(file.getFileName().toString());
            if (name.matches()) {
              found.add(new Numbered(Long.parseLong(name.group(1)), file));
            }
          });
    }
    found.sort(Comparator.comparingLong(Numbered::number).reversed());
    return found;
  }

  /** Returns the setting in a file, or null if the process ended while the file was created. */
  private static @Nullable ClockSetting parse(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (Arrays.equals(bytes, new byte[bytes.length])) {
      return null; // a file shorter than a sector is written as a whole
    }
    String lines = CheckedText.lines(new String(bytes, StandardCharsets.ISO_8859_1));
    Matcher content = CONTENT.matcher(lines == null ? "" : lines);
    try {
      if (content.matches()) {
        return new ClockSetting(Long.parseLong(content.group(1)), Long.parseLong(content.group(2)));
      }
    } catch (NumberFormatException e) {
      throw new KvException(KvErrorCode.CORRUPT, file + " is not a setting of the clock", e);
    }
    throw new KvException(
        KvErrorCode.CORRUPT,
        file + " is damaged (expected: a setting of the clock with its checksum)");
  }

  /** Writes this setting to a directory, durably. */
  void write(Disk disk, Path directory) throws IOException {
    List<Numbered> before = files(directory);
    long number = before.isEmpty() ? 1 : before.get(0).number + 1;
    String lines = "kv-reactive clock\nformat=1\nversion=" + version + "\nmillis=" + millis + "\n";
    String content = CheckedText.with(lines);
    try (DataFile file = disk.open(directory.resolve("clock-" + number))) {
      file.resize(0);
      file.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.ISO_8859_1)), 0);
      file.sync();
    }
    disk.syncDirectory(directory);
    for (Numbered old : before) {
      disk.delete(old.file);
    }
  }
}
