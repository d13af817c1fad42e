package io.kvreactive.index.internal.layout;

import java.util.List;

/**
 * A composite index.
 *
 * @param number names it in keys, for as long as it is defined
 */
public record CompositeIndex(int number, List<CompositeComponent> components) {
  public CompositeIndex {
    components = List.copyOf(components);
  }

  /** Whether an item may have many entries, since a path has {@code []}. */
  public boolean hasElements() {
    return components.stream().anyMatch(component -> component.path().hasElements());
  }
}
