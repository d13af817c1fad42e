package io.kvreactive.documents;

import org.jspecify.annotations.Nullable;

/**
 * One operation of a patch. Paths are JSON pointers, {@code /address/city} or {@code /tags/0};
 * {@code /tags/-} is the position after the last element.
 */
public sealed interface PatchOperation {
  /** Returns the path of the changed value. */
  String path();

  /** Adds a member or replaces it; inserts an element into an array. */
  record Add(String path, @Nullable Object value) implements PatchOperation {}

  /** Sets a member or an element, which need not exist. */
  record Set(String path, @Nullable Object value) implements PatchOperation {}

  /** Replaces a value that must exist. */
  record Replace(String path, @Nullable Object value) implements PatchOperation {}

  /** Removes a value that must exist. */
  record Remove(String path) implements PatchOperation {}

  /** Adds to a number; sets the number if it is absent. */
  record Increment(String path, Number by) implements PatchOperation {}

  /** Moves a value from one path to another. */
  record Move(String from, String path) implements PatchOperation {}
}
