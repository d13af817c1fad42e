package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
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

/** The file {@code store}: what the directory is, in which format, and the id its files share. */
final class StoreIdentity {
  private static final String FILE = "store";
  private static final int FORMAT = 1;
  private static final Pattern CONTENT =
      Pattern.compile("kv-reactive store\nformat=(\\d+)\nid=([0-9a-f-]{36})\n");

  private StoreIdentity() {}

  /**
   * The id of the store in a directory; makes one for a new store.
   *
   * @throws KvException CORRUPT when the directory holds something else or a newer format
   */
  static UUID of(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file) || Files.size(file) == 0) {
      return create(disk, directory, file);
    }
    String content = Files.readString(file, StandardCharsets.ISO_8859_1);
    Matcher matcher = CONTENT.matcher(content);
    if (!matcher.matches()) {
      if (!Files.exists(directory.resolve("image.db"))) {
        return create(disk, directory, file); // the process ended while the store was made
      }
      throw new KvException(KvErrorCode.CORRUPT, file + " is not the identity of a store");
    }
    if (Integer.parseInt(matcher.group(1)) != FORMAT) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          file + " has format " + matcher.group(1) + " (expected: " + FORMAT + ")");
    }
    return UUID.fromString(matcher.group(2));
  }

  private static UUID create(Disk disk, Path directory, Path file) throws IOException {
    UUID id = UUID.randomUUID();
    String content = "kv-reactive store\nformat=" + FORMAT + "\nid=" + id + "\n";
    try (DataFile data = disk.open(file)) {
      data.resize(0);
      data.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII)), 0);
      data.sync();
    }
    disk.syncDirectory(directory);
    return id;
  }
}
