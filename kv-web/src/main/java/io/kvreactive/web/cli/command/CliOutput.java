package io.kvreactive.web.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.json.Utf8;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Where results go: standard output, in UTF-8. When nobody reads it any more, as behind {@code |
 * head}, the command ends.
 */
final class CliOutput {
  /** Nobody reads the output. */
  static final class ClosedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClosedException() {
      super("the output is closed", null, false, false);
    }
  }

  private static final int BUFFER = 1 << 16;

  private final OutputStream out;
  private final PrintStream messages;

  CliOutput() {
    this.out = new java.io.BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER);
    this.messages = System.err;
  }

  /** A line of results; a lone surrogate, which only JSON has, is escaped. */
  void line(String text) {
    try {
      out.write(Utf8.json(text));
      out.write('\n');
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  /** A result that is not a line: nothing is added. */
  void bytes(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  void line(JsonNode json) {
    line(json.toString());
  }

  /** Lets readers see what has been written. */
  void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  /** For people, beside the results. */
  void message(String text) {
    messages.println("kv: " + text);
  }

  /** How far something is; the next one takes its place. */
  void progress(String text) {
    messages.print("\r\033[K" + text);
    messages.flush();
  }

  /** Ends the line of the progress. */
  void progressDone() {
    messages.print("\r\033[K");
    messages.flush();
  }
}
