package io.kvreactive.documents.internal.path;

/**
 * An included or excluded path, which has a terminal.
 *
 * @param subtree true for {@code /*}, the path and everything below; false for {@code /?}, the
 *     scalar at the path
 */
public record PathRule(IndexPath path, boolean subtree) implements IncludedPath {
  public static final PathRule ROOT = new PathRule(IndexPath.ROOT, true);

  @Override
  public String text() {
    return (path.size() == 0 ? "" : path.text()) + (subtree ? "/*" : "/?");
  }
}
