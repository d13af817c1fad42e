package io.kvreactive.documents.internal.path;

/** An entry of {@code includedPaths}. */
public sealed interface IncludedPath permits PathRule, TuplePath {
  /** Returns the canonical text. */
  String text();
}
