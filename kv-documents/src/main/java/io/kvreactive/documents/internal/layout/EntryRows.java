package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes the rows of values that an item has in an index. Each row is one entry. */
sealed interface EntryRows permits PathTree, TermRows {
  /** Returns the rows of an item, possibly with duplicates, or null if there are too many. */
  @Nullable List<JsonNode[]> rows(JsonNode item);

  /**
   * Adds the names of all members of an item that the rows depend on.
   *
   * @return true if the names are complete; false if the rows depend on more than members
   */
  boolean addMembers(Set<String> names);
}
