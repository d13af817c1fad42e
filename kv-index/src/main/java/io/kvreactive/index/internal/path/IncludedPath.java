package io.kvreactive.index.internal.path;

/** An entry of {@code includedPaths}. */
public sealed interface IncludedPath permits PathRule, TuplePath {
  /** Returns the canonical text. */
  String text();
}
