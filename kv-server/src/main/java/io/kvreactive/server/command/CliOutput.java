package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.Terminals;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

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

  /**
   * Prints a line of results. Characters that a terminal interprets and lone surrogates are
   * escaped: JSON keeps its meaning.
   */
  void line(String text) {
    try {
      out.write(Utf8.json(Terminals.clean(text)));
      out.write('\n');
    } catch (IOException e) {
      throw new ClosedException();
    }
  }

  /** Prints the bytes of a result without a line end, on a terminal as text that is safe there. */
  void bytes(byte[] bytes) {
    try {
      out.write(
          Terminals.isTerminal(Terminals.OUT)
              ? Utf8.json(Terminals.clean(new String(bytes, StandardCharsets.UTF_8)))
              : bytes);
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
    messages.println("kv: " + Terminals.clean(text));
  }
}
