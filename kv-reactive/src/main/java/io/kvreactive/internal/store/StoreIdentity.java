package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.ImageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The file {@code store}: what the directory is, in which format, and the id its files share. */
public final class StoreIdentity {
  private static final String FILE = "store";
  private static final int FORMAT = 2;
  private static final Pattern CONTENT =
      Pattern.compile("kv-reactive store\nformat=(\\d+)\nid=([0-9a-f-]{36})\n");

  private StoreIdentity() {}

  /**
   * The id of the store in a directory; makes one for a new store.
   *
   * @throws KvException CORRUPT when the directory holds something else or a newer format
   */
  public static UUID of(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file) || Files.size(file) == 0) {
      return create(disk, directory, file);
    }
    Matcher matcher = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!matcher.matches() && !ImageFiles.current(directory).exists()) {
      return create(disk, directory, file); // the process ended while the store was made
    }
    return id(file, matcher);
  }

  /** The file that says what a directory is; null when there is none. */
  public static @Nullable Path file(Path directory) {
    Path file = directory.resolve(FILE);
    return Files.isRegularFile(file) ? file : null;
  }

  /**
   * The id that the file of a store holds.
   *
   * @throws KvException CORRUPT when it holds something else or another format
   */
  public static UUID read(Path file) throws IOException {
    return id(file, CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)));
  }

  /**
   * The id of the store in a directory, which is only read; null when there is no store.
   *
   * @throws KvException CORRUPT when it has another format
   */
  public static @Nullable UUID find(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return null;
    }
    Matcher matcher = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    return matcher.matches() ? id(file, matcher) : null;
  }

  private static UUID id(Path file, Matcher matcher) {
    if (!matcher.matches()) {
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
