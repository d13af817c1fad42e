package io.kvreactive.index.spi;

/** Terms from one to another, both included, in the order of their characters. */
public record TermRange(String first, String last) {
  /** The range of one term. */
  public static TermRange of(String term) {
    return new TermRange(term, term);
  }
}
