package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link TransactionalBatch}.
 *
 * @param <T> the type of the documents
 * @param versionstamp the versionstamp of the commit; of a batch that only reads, the version read
 * @param results a result for each operation, in order
 */
public record BatchResult<T>(Versionstamp versionstamp, List<Result<T>> results) {
  /** The effect of an operation. */
  public enum Outcome {
    /** The item is new. */
    CREATED,
    /** The item existed and was replaced or patched. */
    REPLACED,
    /** The item was read. */
    READ,
    /** The item was deleted. */
    DELETED
  }

  /**
   * The result of one operation.
   *
   * @param item the item as the operation left it or found it; null if it was deleted
   */
  public record Result<T>(Outcome outcome, @Nullable Item<T> item) {}

  public BatchResult {
    results = List.copyOf(results);
  }
}
