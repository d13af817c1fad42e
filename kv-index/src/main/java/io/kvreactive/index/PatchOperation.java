package io.kvreactive.index;

import org.jspecify.annotations.Nullable;

/**
 * One step of a partial change of an item. Paths are JSON pointers, {@code /address/city} or {@code
 * /tags/0}; {@code /tags/-} is behind the last element.
 */
public sealed interface PatchOperation {
  /** Where. */
  String path();

  /** Adds a member, or replaces it; inserts an element. */
  record Add(String path, @Nullable Object value) implements PatchOperation {}

  /** Sets a member or an element, whether it is there or not. */
  record Set(String path, @Nullable Object value) implements PatchOperation {}

  /** Replaces what must be there. */
  record Replace(String path, @Nullable Object value) implements PatchOperation {}

  /** Removes what must be there. */
  record Remove(String path) implements PatchOperation {}

  /** Adds to a number; sets it where it is absent. */
  record Increment(String path, Number by) implements PatchOperation {}

  /** Moves a value from one place to another. */
  record Move(String from, String path) implements PatchOperation {}
}
