package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.json.Utf8;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * The standard output of a command, in UTF-8. The command ends when the reader closes the output,
 * such as {@code | head}.
 */
final class CliOutput {
  /** Thrown if the reader has closed the output. */
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

  /** Prints a line of results. Lone surrogates, which occur in JSON only, are escaped. */
  void line(String text) {
    try {
      out.write(Utf8.json(text));
      out.write('\n');
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  /** Prints the bytes of a result without a line end. */
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

  /** Flushes the output. */
  void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  /** Prints a message for the user on standard error. */
  void message(String text) {
    messages.println("kv: " + text);
  }
}
