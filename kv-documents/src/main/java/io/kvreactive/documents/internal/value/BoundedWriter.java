package io.kvreactive.documents.internal.value;

import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.Writer;

/** A writer that keeps the written text up to a maximum length. */
final class BoundedWriter extends Writer {
  private final CharArrayWriter chars = new CharArrayWriter();
  private final int maxLength;

  /** Thrown if more text is written than the maximum length. */
  static final class FullException extends IOException {
    private static final long serialVersionUID = 1L;

    FullException(int maxLength) {
      super("more than " + maxLength + " characters");
    }
  }

  BoundedWriter(int maxLength) {
    this.maxLength = maxLength;
  }

  @Override
  public void write(char[] from, int offset, int length) throws IOException {
    if (length > maxLength - chars.size()) {
      throw new FullException(maxLength);
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
