package io.kvreactive.documents.internal.layout;

import java.util.List;

/**
 * A composite index.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 */
public record CompositeIndex(int number, List<CompositeComponent> components) {
  public CompositeIndex {
    components = List.copyOf(components);
  }

  /** Returns true if an item may have many entries, because a path has {@code []}. */
  public boolean hasElements() {
    return components.stream().anyMatch(component -> component.path().hasElements());
  }
}
