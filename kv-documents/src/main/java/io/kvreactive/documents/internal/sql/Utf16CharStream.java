package io.kvreactive.documents.internal.sql;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.IntStream;
import org.antlr.v4.runtime.misc.Interval;

/**
 * A character stream of UTF-16 code units, so that token positions are those of the {@link String}.
 * ANTLR's own streams count code points.
 */
final class Utf16CharStream implements CharStream {
  private final String text;
  private int position;

  Utf16CharStream(String text) {
    this.text = text;
  }

  @Override
  public String getText(Interval interval) {
    int end = Math.min(interval.b + 1, text.length());
    return interval.a >= end ? "" : text.substring(interval.a, end);
  }

  @Override
  public void consume() {
    if (position >= text.length()) {
      throw new IllegalStateException("nothing is left to consume");
    }
    checkpoint();
    position++;
  }

  @Override
  public int LA(int offset) {
    int index = offset > 0 ? position + offset - 1 : position + offset;
    return offset == 0 || index < 0 || index >= text.length() ? IntStream.EOF : text.charAt(index);
  }

  @Override
  public int mark() {
    return -1;
  }

  @Override
  public void release(int marker) {}

  @Override
  public int index() {
    return position;
  }

  @Override
  public void seek(int index) {
    position = Math.min(index, text.length());
  }

  @Override
  public int size() {
    return text.length();
  }

  @Override
  public String getSourceName() {
    return IntStream.UNKNOWN_SOURCE_NAME;
  }
}
