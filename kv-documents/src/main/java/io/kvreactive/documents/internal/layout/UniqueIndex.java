package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.IndexPath;
import java.util.List;

/**
 * A unique key: values that at most one item of a partition has.
 *
 * @param number the number of the unique key in keys, for as long as the collection exists
 */
public record UniqueIndex(int number, List<IndexPath> paths) {
  public UniqueIndex {
    paths = List.copyOf(paths);
  }
}
