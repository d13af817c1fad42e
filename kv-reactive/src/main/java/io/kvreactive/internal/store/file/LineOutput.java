package io.kvreactive.internal.store.file;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A writer of a text file that replaces the file atomically: it writes to a file with {@code .part}
 * after the name, which it renames at the end. Compressed if the name ends in {@code .gz}. Blocks.
 * Thread-safe.
 */
public final class LineOutput implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final Path part;
  private final FileChannel channel;
  private final @Nullable GZIPOutputStream compressed;
  private final OutputStream out;
  private long lines;
  private boolean closed;

  private LineOutput(Path file, Path part, FileChannel channel) throws IOException {
    this.file = file;
    this.part = part;
    this.channel = channel;
    OutputStream bytes = Channels.newOutputStream(channel);
    this.compressed = LineInput.isCompressed(file) ? new GZIPOutputStream(bytes, BUFFER) : null;
    this.out = new BufferedOutputStream(compressed == null ? bytes : compressed, BUFFER);
  }

  /** Creates a writer. An existing file is unchanged until {@link #finish}. */
  public static LineOutput create(Path file) throws IOException {
    Path place = file.toAbsolutePath();
    Path part = place.resolveSibling(place.getFileName() + ".part");
    FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    try {
      return new LineOutput(place, part, channel);
    } catch (IOException | RuntimeException e) {
      delete(channel, part);
      throw e;
    }
  }

  private static void delete(FileChannel channel, Path part) throws IOException {
    try {
      channel.close();
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Adds a line; does nothing after {@link #close}. */
  public synchronized void write(String line) throws IOException {
    if (!closed) {
      out.write(line.getBytes(StandardCharsets.UTF_8));
      out.write('\n');
      lines++;
    }
  }

  /** Returns the number of lines. */
  public synchronized long lines() {
    return lines;
  }

  /** Syncs the file, then renames it. */
  public synchronized void finish() throws IOException {
    out.flush();
    if (compressed != null) {
      compressed.finish();
    }
    channel.force(true);
    channel.close();
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    closed = true;
    Path directory = file.getParent();
    if (directory != null) {
      new FileDisk().syncDirectory(directory);
    }
  }

  /** Deletes an unfinished file. Idempotent. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      delete(channel, part);
    }
  }
}
