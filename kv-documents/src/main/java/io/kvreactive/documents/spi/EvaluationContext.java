package io.kvreactive.documents.spi;

import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.VectorEmbedding;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The context of a function call: the query, the item and the collection. */
public interface EvaluationContext {
  /** Returns the time of this call. */
  Instant now();

  /** Returns the time at which the query began, which is the same for all of its calls. */
  Instant queryTime();

  /**
   * Runs a part of a call that may take more than a few milliseconds and cannot be divided. Other
   * work of the store continues meanwhile.
   *
   * @throws RuntimeException that of the part, or that of a query that has used its time or was
   *     cancelled; a function must not catch the latter
   */
  default <T> T longCall(Supplier<T> part) {
    return part.get();
  }

  /**
   * Counts the work of a call against the time of the query. For loops whose work is not
   * proportional to the sizes of the arguments, also within {@link #longCall}. Other work of the
   * store may run meanwhile.
   *
   * @throws RuntimeException that of a query that has used its time or was cancelled; a function
   *     must not catch it
   */
  default void checkpoint() {}

  /** Returns a random number from 0 (inclusive) to 1 (exclusive), different for each call. */
  double random();

  /** Returns the document id of the item that the row comes from. */
  long documentId();

  /** Returns the surface on which the shapes of the collection lie. */
  default GeospatialType geospatialType() {
    return GeospatialType.GEOGRAPHY;
  }

  /**
   * Returns the embedding of the vectors at a path, or null if the collection declares none.
   *
   * @param path the canonical text of the path, such as {@code /vector}
   */
  default @Nullable VectorEmbedding vectorEmbedding(String path) {
    return null;
  }

  /**
   * Returns true if a partial ARRAY_CONTAINS compares nested objects partially too, instead of
   * fully.
   */
  default boolean deepPartial() {
    return false;
  }
}
