package io.kvreactive.index.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gives the rows of values that an item has in an index, each of which is an entry. */
sealed interface EntryRows permits PathTree, TermRows {
  /** Returns the rows of an item, maybe some of them equal; null if there are too many. */
  @Nullable List<JsonNode[]> rows(JsonNode item);

  /**
   * Adds the names of all members of an item that the rows depend on.
   *
   * @return whether those are all: the rows may also depend on what is no member
   */
  boolean addMembers(Set<String> names);
}
