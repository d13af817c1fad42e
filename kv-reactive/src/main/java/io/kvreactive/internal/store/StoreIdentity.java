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

/**
 * The identity file {@code store}: the format of the directory, the id that its files share and the
 * id of its history.
 *
 * <p>The file grows by a line when the history changes; the last line applies. So a crash leaves
 * the old history or the new one. A store of format 2 has no history and gets one when it is
 * opened.
 *
 * @param id the id that the store's files share; secret, since checksums start with it
 * @param history the public id of the sequence of commits. Stores with the same history have the
 *     same commits under the same versions
 */
public record StoreIdentity(UUID id, UUID history) {
  private static final String FILE = "store";
  private static final String BEFORE_FORMAT = "kv-reactive store\nformat=";
  private static final int FORMAT = 3;
  private static final int WITHOUT_HISTORY = 2;
  private static final String UUID_TEXT = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})";
  private static final String HISTORY = "history=" + UUID_TEXT + "\n";
  private static final int HISTORY_BYTES = 45;
  private static final Pattern CONTENT =
      Pattern.compile(
          BEFORE_FORMAT + "(\\d+)\nid=" + UUID_TEXT + "\n(?:" + HISTORY + ")*", Pattern.DOTALL);

  /**
   * The content of the file.
   *
   * @param id the id of the store
   * @param history the newest history, or null if there is none
   * @param length the bytes up to the end of the last complete line
   * @param current false if the file must be rewritten in the current format
   */
  private record Content(UUID id, @Nullable UUID history, int length, boolean current) {}

  /**
   * Returns the identity of the store in a directory. Creates one for a new store, and a history
   * for a store without one.
   *
   * @throws KvException CORRUPT if the directory holds something else or a newer format
   */
  public static StoreIdentity of(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file) || Files.size(file) == 0) {
      return create(disk, directory, file);
    }
    Content content = content(file);
    if (content == null && !ImageFiles.current(directory).exists()) {
      return create(disk, directory, file); // the process ended while it created the store
    }
    Content found = check(file, content);
    UUID history = found.history;
    return history != null && found.current
        ? new StoreIdentity(found.id, history)
        : withNewHistory(disk, file, found);
  }

  /**
   * Gives the store in a directory a new history, because it continues a part of the old one.
   *
   * @throws KvException CORRUPT if the directory holds no store
   */
  public static StoreIdentity renew(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    return withNewHistory(disk, file, check(file, content(file)));
  }

  /** Returns the identity file of a directory, or null if there is none. */
  public static @Nullable Path file(Path directory) {
    Path file = directory.resolve(FILE);
    return Files.isRegularFile(file) ? file : null;
  }

  /**
   * Returns the id in an identity file.
   *
   * @throws KvException CORRUPT if the file holds something else or another format
   */
  public static UUID read(Path file) throws IOException {
    return check(file, content(file)).id;
  }

  /**
   * Returns the id of the store in a directory without changing anything, or null if there is no
   * store.
   *
   * @throws KvException CORRUPT if it has another format
   */
  public static @Nullable UUID find(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    Content content = Files.exists(file) ? content(file) : null;
    return content == null ? null : content.id;
  }

  /** Returns the content of the file, or null if it is not an identity file. */
  private static @Nullable Content content(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    Matcher matcher = CONTENT.matcher(text);
    if (!matcher.lookingAt() || text.length() - matcher.end() >= HISTORY_BYTES) {
      return null;
    }
    int format = Integer.parseInt(matcher.group(1));
    if (format != FORMAT && format != WITHOUT_HISTORY) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "%s has format %d (expected: %d or %d)".formatted(file, format, WITHOUT_HISTORY, FORMAT));
    }
    String history = matcher.group(3);
    return new Content(
        UUID.fromString(matcher.group(2)),
        history == null ? null : UUID.fromString(history),
        matcher.end(),
        format == FORMAT && matcher.end() == text.length());
  }

  private static Content check(Path file, @Nullable Content content) {
    if (content == null) {
      throw new KvException(KvErrorCode.CORRUPT, file + " is not the identity of a store");
    }
    return content;
  }

  private static StoreIdentity create(Disk disk, Path directory, Path file) throws IOException {
    StoreIdentity identity = new StoreIdentity(UUID.randomUUID(), UUID.randomUUID());
    String content = BEFORE_FORMAT + FORMAT + "\nid=" + identity.id + "\n" + line(identity.history);
    try (DataFile data = disk.open(file)) {
      data.resize(0);
      data.write(ascii(content), 0);
      data.sync();
    } catch (IOException e) {
      // its content on the medium is unknown, and must not be mistaken for complete
      disk.delete(file);
      throw e;
    }
    disk.syncDirectory(directory);
    return identity;
  }

  private static StoreIdentity withNewHistory(Disk disk, Path file, Content content)
      throws IOException {
    UUID history = UUID.randomUUID();
    try (DataFile data = disk.open(file)) {
      data.resize(content.length);
      data.write(ascii(line(history)), content.length);
      data.sync();
      data.write(ascii(String.valueOf(FORMAT)), BEFORE_FORMAT.length());
      data.sync();
    }
    return new StoreIdentity(content.id, history);
  }

  private static String line(UUID history) {
    return "history=" + history + "\n";
  }

  private static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }
}
