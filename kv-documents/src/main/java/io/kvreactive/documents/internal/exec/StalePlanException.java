package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.store.CollectionMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The error of a run that was planned for another version of the collection; no row has been
 * emitted.
 */
final class StalePlanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable CollectionMetadata metadata;

  /**
   * Creates the error.
   *
   * @param metadata the metadata at the snapshot; null if the collection does not exist
   */
  StalePlanException(@Nullable CollectionMetadata metadata) {
    super("the collection's definition has changed", null, false, false);
    this.metadata = metadata;
  }

  @Nullable CollectionMetadata metadata() {
    return metadata;
  }
}
