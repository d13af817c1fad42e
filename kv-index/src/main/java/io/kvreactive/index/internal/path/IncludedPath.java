package io.kvreactive.index.internal.path;

/** What an entry of {@code includedPaths} can be. */
public sealed interface IncludedPath permits PathRule, TuplePath {
  /** The canonical text. */
  String text();
}
