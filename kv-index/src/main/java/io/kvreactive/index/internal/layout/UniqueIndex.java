package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;
import java.util.List;

/**
 * Values that one item of a partition has.
 *
 * @param number names it in keys, for as long as the collection exists
 */
public record UniqueIndex(int number, List<IndexPath> paths) {
  public UniqueIndex {
    paths = List.copyOf(paths);
  }
}
