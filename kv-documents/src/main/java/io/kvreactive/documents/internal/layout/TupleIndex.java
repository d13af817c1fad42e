package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.IndexPath;
import java.util.List;

/**
 * An index of values in the same element of an array.
 *
 * @param number the number of the index in keys, for as long as the index is defined
 * @param array the path of the array; may have ordinals
 * @param members the paths inside an element; may have ordinals
 */
public record TupleIndex(int number, IndexPath array, List<IndexPath> members) {
  public TupleIndex {
    members = List.copyOf(members);
  }
}
