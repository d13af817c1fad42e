package io.kvreactive.documents;

import java.util.Objects;

/**
 * One path of a composite index.
 *
 * @param path the path, such as {@code /name} or {@code /children/[]/age}, without a terminal
 * @param order the direction, {@code ascending} or {@code descending}, in any letter case
 */
public record CompositePath(String path, String order) {
  public static final String ASCENDING = "ascending";
  public static final String DESCENDING = "descending";

  public CompositePath {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(order, "order");
  }

  public static CompositePath ascending(String path) {
    return new CompositePath(path, ASCENDING);
  }

  public static CompositePath descending(String path) {
    return new CompositePath(path, DESCENDING);
  }

  public boolean isDescending() {
    return order.equals(DESCENDING);
  }
}
