package io.kvreactive.index.spi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A declared index that describes each value by terms, and each condition by ranges of terms. An
 * entry of the store is a term and the number of its item; the store makes, builds and removes
 * entries, in the same commit as the item. An item that has a term in one of the ranges is a
 * candidate, on which the whole condition is evaluated: so ranges may find too much, but must not
 * leave out an item for which the condition is true.
 *
 * <p>An index has no state and is used by many threads.
 */
public interface TermIndex {
  /** The most terms of one value. A value that has more is a candidate for every query. */
  int MAX_TERMS = 64;

  /** Returns the kind for explanations, such as {@code spatial}. */
  String kind();

  /**
   * Returns the name, which no other index of the definition has. The name says all that the terms
   * depend on: entries are kept when a new definition has an index of the same name.
   */
  String name();

  /**
   * Returns the path of the values, as a policy writes it: {@code /location/?} is that value,
   * {@code /location/*} that value and all inside of it, {@code /stops/[]/place/?} a value of each
   * element.
   */
  String path();

  /** Returns what explanations show of it: its path, and its types or options. */
  List<String> spec();

  /**
   * Returns the terms of a value: ASCII texts of at most 64 characters, at most {@link #MAX_TERMS};
   * none for a value that no condition is true for.
   *
   * @param value at the path, of any type
   * @return null for a value that terms cannot describe, a candidate for every query
   */
  @Nullable Collection<String> terms(JsonNode value);

  /**
   * Returns ranges of which each value that meets a condition and has terms has a term in one, or
   * null when the index does not serve the condition. No ranges: no value that has terms meets it.
   */
  @Nullable List<TermRange> ranges(CallCondition condition);

  /**
   * Returns bounds to try one after the other, ascending, when the items with the smallest values
   * of a function are asked for: neighbourhoods of which each has some times the items of the one
   * before. For each, {@link #ranges} serves the condition that the function is at most the bound.
   * None when the index does not serve that order.
   */
  default List<Double> reaches(String function) {
    return List.of();
  }
}
