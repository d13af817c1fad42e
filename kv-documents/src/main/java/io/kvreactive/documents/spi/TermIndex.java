package io.kvreactive.documents.spi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A declared index that describes each value by terms, and each condition by ranges of terms. An
 * entry of the store is a term and the document id of its item. The store writes, builds and
 * removes entries in the same commit as the item. An item with a term in one of the ranges is a
 * candidate, for which the whole condition is evaluated. Ranges may therefore have false positives,
 * but must not miss an item for which the condition is true.
 *
 * <p>An index is stateless and used by many threads.
 */
public interface TermIndex {
  /**
   * The maximum number of terms of one value. A value with more terms is a candidate for every
   * query.
   */
  int MAX_TERMS = 64;

  /** Returns the kind for explanations, such as {@code spatial}. */
  String kind();

  /**
   * Returns the name, which is unique among the indexes of the definition. The name must include
   * everything that the terms depend on: entries are kept if a new definition has an index of the
   * same name.
   */
  String name();

  /**
   * Returns the path of the values, in the format of policies. {@code /location/?} is one value,
   * {@code /location/*} this value and all values inside of it, {@code /stops/[]/place/?} one value
   * of each element.
   */
  String path();

  /** Returns the details shown by explanations: the path, and types or options. */
  List<String> spec();

  /**
   * Returns the terms of a value: ASCII texts of at most 64 characters, at most {@link #MAX_TERMS}.
   * No terms mean that no condition is true for the value.
   *
   * @param value the value at the path, of any type
   * @return the terms, or null for a value that terms cannot describe, a candidate for every query
   */
  @Nullable Collection<String> terms(JsonNode value);

  /**
   * Returns ranges of terms for a condition, or null if the index does not serve the condition.
   * Each value that has terms and meets the condition has a term in one of the ranges. No ranges
   * mean that no value with terms meets the condition.
   */
  @Nullable List<TermRange> ranges(CallCondition condition);

  /**
   * Returns ascending positive bounds for a nearest-first search by a function. The search starts
   * at the bound in the middle of the list, and continues with larger ones, or with smaller ones if
   * values are dense; each neighborhood has a multiple of the items of the previous one. For each
   * positive bound, {@link #ranges} serves the condition that the function is at most the bound.
   * Empty if the index does not serve this order.
   */
  default List<Double> reaches(String function) {
    return List.of();
  }
}
