package io.kvreactive.index.internal.sql.ast;

/**
 * Where a part of a query stands in its text: from {@code start} (inclusive, from 0) to {@code end}
 * (exclusive), in UTF-16 code units. All spans are equal, so that parts of a query are equal when
 * they say the same.
 */
public final class Span {
  /** Of what was not written. */
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

  /** From the start of this one to the end of another. */
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
