package io.kvreactive.index.internal.path;

/** One step of a path. */
public sealed interface Step permits MemberStep, ElementStep, WildcardStep {
  /** As it stands between the slashes of a path in its canonical form. */
  String text();
}
