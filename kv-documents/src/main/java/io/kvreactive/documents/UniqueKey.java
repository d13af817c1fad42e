package io.kvreactive.documents;

import java.util.List;

/**
 * A unique key: values that at most one item of a partition has. A missing value counts as null.
 *
 * @param paths the paths, labels only, such as {@code /email} or {@code /name/first}
 */
public record UniqueKey(List<String> paths) {
  public UniqueKey {
    paths = List.copyOf(paths);
  }

  public static UniqueKey of(String... paths) {
    return new UniqueKey(List.of(paths));
  }
}
