package io.kvreactive.internal.store.file;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.Utf8;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the lines of a text file in UTF-8, compressed if its name ends in {@code .gz}.
 * Blocks.
 */
public final class LineInput implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private int at;
  private int end;
  private long number;
  private boolean closed;

  private LineInput(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  static boolean isCompressed(Path file) {
    return file.toString().endsWith(".gz");
  }

  /** Opens a file. */
  public static LineInput open(Path file) throws IOException {
    InputStream bytes = Files.newInputStream(file);
    try {
      InputStream plain = isCompressed(file) ? new GZIPInputStream(bytes, BUFFER) : bytes;
      return new LineInput(file, plain);
    } catch (IOException | RuntimeException e) {
      bytes.close();
      throw e;
    }
  }

  /**
   * Returns the next line without its line feed, or null at the end and after {@link #close}.
   *
   * @throws KvException INVALID_ARGUMENT if the line is not UTF-8
   */
  public synchronized @Nullable String next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean ended = false;
    while (!ended && filled()) {
      int from = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      line.write(buffer, from, at - from);
      ended = at < end;
      at += ended ? 1 : 0;
    }
    if (!ended && line.size() == 0) {
      return null;
    }
    number++;
    return text(line);
  }

  /** Returns true if there are more bytes, after reading if necessary. */
  private boolean filled() throws IOException {
    if (at == end && !closed) {
      at = 0;
      end = Math.max(0, in.read(buffer));
    }
    return at < end && !closed;
  }

  private String text(ByteArrayOutputStream line) {
    try {
      return Utf8.decode(line.toByteArray());
    } catch (KvException e) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, "line " + number + " of " + file + ": " + e.detail(), e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    in.close();
  }
}
