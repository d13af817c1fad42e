package io.kvreactive.web.cli.client;

import io.kvreactive.web.cli.ExitCode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Cuts a stream of lines into parts of whole lines. */
final class LineBatches {
  private static final int BATCH_BYTES = 2 << 20;
  private static final int MAX_LINE_BYTES = 1 << 30;
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private long line = 1;
  private long firstLine = 1;

  LineBatches(InputStream in) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
  }

  /** The next part; null at the end. */
  byte @Nullable [] next() {
    firstLine = line;
    ByteArrayOutputStream batch = new ByteArrayOutputStream();
    try {
      int read = in.read();
      while (read >= 0) {
        batch.write(read);
        if (read == '\n') {
          line++;
          if (batch.size() >= BATCH_BYTES) {
            break;
          }
        } else if (batch.size() > MAX_LINE_BYTES) {
          throw new CliException(ExitCode.USAGE, "line " + line + " is longer than 1 GiB");
        }
        read = in.read();
      }
    } catch (IOException e) {
      throw CliException.of("the input cannot be read", e);
    }
    return batch.size() == 0 ? null : batch.toByteArray();
  }

  /** The number of the first line of the part, from 1. */
  long firstLine() {
    return firstLine;
  }
}
