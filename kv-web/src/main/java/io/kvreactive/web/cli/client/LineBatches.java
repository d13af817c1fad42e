package io.kvreactive.web.cli.client;

import io.kvreactive.web.cli.ExitCode;
import io.kvreactive.web.internal.rest.LineText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Cuts a stream of lines into parts of whole lines. */
final class LineBatches {
  /** Several times what an item may have. */
  static final int MAX_ITEM_BYTES = 16 << 20;

  /** More than a store takes; the store says how much that is. */
  static final int MAX_ENTRY_BYTES = 1 << 30;

  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final int batchBytes;
  private final int maxLineBytes;
  private long line = 1;
  private long firstLine = 1;
  private @Nullable CliException failure; // told behind the lines before

  /**
   * @param batchBytes a part ends with the line that makes it so long
   * @param maxLineBytes of one line, without its end
   */
  LineBatches(InputStream in, int batchBytes, int maxLineBytes) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
    this.batchBytes = batchBytes;
    this.maxLineBytes = maxLineBytes;
  }

  /**
   * Emits lines as text, each with its end.
   *
   * @param maxLineBytes of one line, without its end
   */
  static Flux<String> texts(InputStream in, int maxLineBytes) {
    LineBatches lines = new LineBatches(in, 1, maxLineBytes);
    return Flux.<String>generate(
            sink -> {
              byte[] line = lines.next();
              if (line == null) {
                sink.complete();
              } else {
                sink.next(LineText.decode(lines.firstLine(), line));
              }
            })
        .subscribeOn(Schedulers.boundedElastic());
  }

  /** The next part; null at the end. */
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

  /** Reads lines; returns how many bytes of them can be used. */
  private int fill(ByteArrayOutputStream batch) {
    int begin = 0; // of the line
    try {
      while (failure == null) {
        int read = in.read();
        if (read < 0) {
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
                  "line %d is longer than %d bytes (expected: at most that)"
                      .formatted(line, maxLineBytes));
        }
      }
    } catch (IOException e) {
      failure = CliException.of("the input cannot be read", e);
    }
    return begin;
  }

  /** The number of the first line of the part, from 1. */
  long firstLine() {
    return firstLine;
  }
}
