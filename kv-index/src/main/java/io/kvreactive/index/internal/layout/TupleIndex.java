package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;
import java.util.List;

/**
 * An index of values that stand in the same element of an array.
 *
 * @param number names it in keys, for as long as it is defined
 * @param array the place of the array; may have ordinals
 * @param members the places inside an element; may have ordinals
 */
public record TupleIndex(int number, IndexPath array, List<IndexPath> members) {
  public TupleIndex {
    members = List.copyOf(members);
  }
}
