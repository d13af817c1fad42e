package io.kvreactive.documents.spi;

/** A range of terms, both bounds inclusive, in the order of their characters. */
public record TermRange(String first, String last) {
  /** Returns the range of a single term. */
  public static TermRange of(String term) {
    return new TermRange(term, term);
  }
}
