package io.kvreactive.documents.internal.path;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A tuple path such as {@code /events/[]/{name, category}/?}: values in the same element of an
 * array.
 *
 * @param array the path of the array; has labels and ordinals only
 * @param members the paths inside an element; have labels and ordinals only
 */
public record TuplePath(IndexPath array, List<IndexPath> members) implements IncludedPath {
  public TuplePath {
    members = List.copyOf(members);
  }

  @Override
  public String text() {
    String inner =
        members.stream()
            .map(member -> member.text().substring(1))
            .collect(Collectors.joining(", "));
    return (array.size() == 0 ? "" : array.text()) + "/[]/{" + inner + "}/?";
  }
}
