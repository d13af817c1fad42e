package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.PathParser;
import io.kvreactive.index.internal.path.PathRule;
import io.kvreactive.index.spi.TermIndex;

/**
 * An index of the terms of values, declared by an extension.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 * @param index the extension's index, which computes the terms of values and conditions
 * @param rule the paths of the values
 */
public record StoredTermIndex(int number, TermIndex index, PathRule rule) {
  static StoredTermIndex of(int number, TermIndex index) {
    return new StoredTermIndex(number, index, PathParser.rule(index.path()));
  }

  /** Returns true if the values of a path are in the index. */
  public boolean has(IndexPath path) {
    IndexPath indexed = rule.path();
    return indexed.equals(path)
        || rule.subtree()
            && path.size() > indexed.size()
            && path.steps().subList(0, indexed.size()).equals(indexed.steps());
  }
}
