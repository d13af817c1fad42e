package io.kvreactive.index.internal.eval.functions;

import java.time.Instant;

/** What a function may know beside its arguments. */
public interface EvaluationContext {
  /** The time of this call. */
  Instant now();

  /** When the query began; the same for all its calls. */
  Instant queryTime();

  /** From 0 (inclusive) to 1 (exclusive), another one each time. */
  double random();

  /** The number of the item that the row comes from. */
  long documentId();

  /**
   * Whether ARRAY_CONTAINS with a part of an object compares objects inside of it in part too,
   * instead of fully.
   */
  default boolean deepPartial() {
    return false;
  }
}
