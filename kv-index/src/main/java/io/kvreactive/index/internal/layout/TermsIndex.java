package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.PathParser;
import io.kvreactive.index.internal.path.PathRule;
import io.kvreactive.index.spi.TermIndex;

/**
 * An index of the terms of values, as an extension declares it.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 * @param index gives terms to values and conditions
 * @param rule the places of the values
 */
public record TermsIndex(int number, TermIndex index, PathRule rule) {
  static TermsIndex of(int number, TermIndex index) {
    return new TermsIndex(number, index, PathParser.rule(index.path()));
  }

  /** Returns whether the values of a place are in the index. */
  public boolean has(IndexPath path) {
    IndexPath indexed = rule.path();
    return indexed.equals(path)
        || rule.subtree()
            && path.size() > indexed.size()
            && path.steps().subList(0, indexed.size()).equals(indexed.steps());
  }
}
