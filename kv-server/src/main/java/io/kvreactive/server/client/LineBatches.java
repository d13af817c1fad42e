package io.kvreactive.server.client;

import io.kvreactive.server.ExitCode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Splits a stream into batches of whole lines. For one reader. */
final class LineBatches {
  /** Maximum size in bytes of a line with an item: several times the maximum size of an item. */
  static final int MAX_ITEM_BYTES = 16 << 20;

  /**
   * Maximum size in bytes of a line with an entry. It is above the store's limit, so that the store
   * reports its own limit.
   */
  static final int MAX_ENTRY_BYTES = 1 << 30;

  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final int batchBytes;
  private final int maxLineBytes;
  private long line = 1;
  private long firstLine = 1;
  private @Nullable CliException failure; // thrown after the lines before it

  /**
   * Creates the batches of a stream.
   *
   * @param batchBytes the size at which a batch ends, with the line that reaches it
   * @param maxLineBytes the maximum size of a line without its end
   */
  LineBatches(InputStream in, int batchBytes, int maxLineBytes) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
    this.batchBytes = batchBytes;
    this.maxLineBytes = maxLineBytes;
  }

  /**
   * Skips the lines before a line. Blocks.
   *
   * @param first the number of the next line, from 1
   * @throws CliException USAGE if the input has fewer lines, or cannot be read
   */
  LineBatches startingAt(long first) {
    boolean whole = true;
    try {
      while (line < first) {
        int read = in.read();
        if (read < 0) {
          long end = line + (whole ? 0 : 1);
          if (end < first) {
            throw new CliException(
                ExitCode.USAGE,
                "from line: %d (expected: at most %d, the end of the input)".formatted(first, end));
          }
          line = first;
        } else {
          whole = read == '\n';
          line += whole ? 1 : 0;
        }
      }
    } catch (IOException e) {
      throw CliException.of("the input cannot be read", e);
    }
    return this;
  }

  /**
   * Returns the next batch; null at the end. Blocks.
   *
   * @throws CliException for a line that is too long or input that cannot be read
   */
  byte @Nullable [] next() {
    firstLine = line;
    ByteArrayOutputStream batch = new ByteArrayOutputStream();
    int whole = fill(batch);
    if (failure != null && whole == 0) {
      throw failure;
    }
    byte[] bytes = batch.toByteArray();
    return bytes.length == 0 ? null : whole == bytes.length ? bytes : Arrays.copyOf(bytes, whole);
  }

  /** Reads lines into {@code batch} and returns the number of bytes of its complete lines. */
  private int fill(ByteArrayOutputStream batch) {
    int begin = 0; // of the current line
    try {
      while (failure == null) {
        int read = in.read();
        if (read < 0) {
          line += batch.size() > begin ? 1 : 0;
          return batch.size();
        }
        batch.write(read);
        if (read == '\n') {
          line++;
          begin = batch.size();
          if (begin >= batchBytes) {
            return begin;
          }
        } else if (batch.size() - begin > maxLineBytes) {
          failure =
              new CliException(
                  ExitCode.USAGE,
                  "line %d: too long (expected: at most %d bytes)".formatted(line, maxLineBytes));
        }
      }
    } catch (IOException e) {
      failure = CliException.of("the input cannot be read", e);
    }
    return begin;
  }

  /** Returns the number of the batch's last line, from 1. */
  long lastLine() {
    return line - 1;
  }

  /** Returns the number of the batch's first line, from 1. */
  long firstLine() {
    return firstLine;
  }
}
