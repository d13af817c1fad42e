package io.kvreactive.index.internal.value;

import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.Writer;

/** A writer that keeps the written text up to a maximum length. */
final class BoundedWriter extends Writer {
  private final CharArrayWriter chars = new CharArrayWriter();
  private final int most;

  /** Thrown if more text is written than the maximum length. */
  static final class FullException extends IOException {
    private static final long serialVersionUID = 1L;

    FullException(int most) {
      super("more than " + most + " characters");
    }
  }

  BoundedWriter(int most) {
    this.most = most;
  }

  @Override
  public void write(char[] from, int offset, int length) throws IOException {
    if (length > most - chars.size()) {
      throw new FullException(most);
    }
    chars.write(from, offset, length);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}

  @Override
  public String toString() {
    return chars.toString();
  }
}
