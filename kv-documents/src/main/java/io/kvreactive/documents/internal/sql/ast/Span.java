package io.kvreactive.documents.internal.sql.ast;

/**
 * The position of a part of a query in its text: from {@code start} (inclusive, from 0) to {@code
 * end} (exclusive), in UTF-16 code units. All spans are equal, so that the equality of parts of a
 * query ignores positions.
 */
public final class Span {
  /** The span of a part that is not in the text. */
  public static final Span NONE = new Span(0, 0);

  private final int start;
  private final int end;

  public Span(int start, int end) {
    this.start = start;
    this.end = end;
  }

  public int start() {
    return start;
  }

  public int end() {
    return end;
  }

  /** Returns the span from the start of this span to the end of another. */
  public Span to(Span other) {
    return new Span(start, other.end);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Span;
  }

  @Override
  public int hashCode() {
    return 0;
  }

  @Override
  public String toString() {
    return start + ".." + end;
  }
}
