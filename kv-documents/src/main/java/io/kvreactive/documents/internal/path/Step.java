package io.kvreactive.documents.internal.path;

/** One step of a path. */
public sealed interface Step permits MemberStep, ElementStep, WildcardStep {
  /** Returns the canonical text of the step, as between the slashes of a path. */
  String text();
}
