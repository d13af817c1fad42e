package io.kvreactive.index.internal.path;

/**
 * An included or excluded path: one with a terminal.
 *
 * @param subtree {@code /*}, which means the place and all below, or {@code /?}, which means the
 *     scalar at the place
 */
public record PathRule(IndexPath path, boolean subtree) implements IncludedPath {
  public static final PathRule ROOT = new PathRule(IndexPath.ROOT, true);

  @Override
  public String text() {
    return (path.size() == 0 ? "" : path.text()) + (subtree ? "/*" : "/?");
  }
}
