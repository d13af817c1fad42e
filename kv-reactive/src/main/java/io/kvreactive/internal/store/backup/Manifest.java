package io.kvreactive.internal.store.backup;

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
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a backup: the file {@code backup} beside the files of a store. Written last. Ends
 * with a checksum; that of format 1 has none.
 *
 * @param origin the id of the store that was backed up, or null for one without files
 * @param from the version of the image
 * @param through the version of the backup; the log has the commits between the two
 * @param millis the maximum time of the commits up to {@code through}, in milliseconds since 1970
 * @param entries the number of entries in the image, internal and expired ones included
 * @param created the start of the backup, in milliseconds since 1970
 */
public record Manifest(
    @Nullable UUID origin, long from, long through, long millis, long entries, long created) {
  private static final String FILE = "backup";
  private static final int FORMAT = 2;
  private static final int WITHOUT_CHECKSUM = 1;
  private static final String MEMORY = "memory";
  private static final Pattern CONTENT =
      Pattern.compile(
          "kv-reactive backup\nformat=(\\d+)\norigin=(memory|[0-9a-f-]{36})\nfrom=(\\d+)\n"
              + "through=(\\d+)\nmillis=(\\d+)\nentries=(\\d+)\ncreated=(\\d+)\n");

  /**
   * Reads the manifest of a directory.
   *
   * @throws KvException INVALID_ARGUMENT if the directory holds no backup; CORRUPT if the manifest
   *     is damaged or of another format
   */
  public static Manifest read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "backup: " + directory + " (expected: a directory with a backup)");
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    String checked = CheckedText.lines(text);
    Matcher content = CONTENT.matcher(checked == null ? text : checked);
    if (!content.matches()) {
      throw new KvException(KvErrorCode.CORRUPT, file + " is not the manifest of a backup");
    }
    if (!content.group(1).equals("" + (checked == null ? WITHOUT_CHECKSUM : FORMAT))) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "%s has format %s (expected: %d with a checksum, or %d without one)"
              .formatted(file, content.group(1), FORMAT, WITHOUT_CHECKSUM));
    }
    String origin = content.group(2);
    return new Manifest(
        origin.equals(MEMORY) ? null : UUID.fromString(origin),
        Long.parseLong(content.group(3)),
        Long.parseLong(content.group(4)),
        Long.parseLong(content.group(5)),
        Long.parseLong(content.group(6)),
        Long.parseLong(content.group(7)));
  }

  void write(Disk disk, Path directory) throws IOException {
    String content =
        "kv-reactive backup\nformat=%d\norigin=%s\nfrom=%d\nthrough=%d\nmillis=%d\nentries=%d\ncreated=%d\n"
            .formatted(
                FORMAT, origin == null ? MEMORY : origin, from, through, millis, entries, created);
    try (DataFile file = disk.open(directory.resolve(FILE))) {
      file.write(ByteBuffer.wrap(CheckedText.with(content).getBytes(StandardCharsets.US_ASCII)), 0);
      file.sync();
    }
  }
}
