package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.store.CollectionMetadata;
import org.jspecify.annotations.Nullable;

/** Ends a run that was planned for another version of the collection; no row has been emitted. */
final class StalePlanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable CollectionMetadata view;

  /**
   * @param view what there is in the snapshot; null when there is no such collection
   */
  StalePlanException(@Nullable CollectionMetadata view) {
    super("the collection's definition has changed", null, false, false);
    this.view = view;
  }

  @Nullable CollectionMetadata view() {
    return view;
  }
}
