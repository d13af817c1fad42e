package io.kvreactive.index.spi;

import io.kvreactive.index.GeospatialType;
import io.kvreactive.index.VectorEmbedding;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The context of a call of a function: the query, the item and the collection. */
public interface EvaluationContext {
  /** The time of this call. */
  Instant now();

  /** When the query began; the same for all its calls. */
  Instant queryTime();

  /**
   * Runs a part of a call that may take more than a few milliseconds and cannot be divided. Other
   * work of the store goes on meanwhile.
   *
   * @throws RuntimeException that of the part, or if the query has used its time or was cancelled,
   *     which a function must not catch
   */
  default <T> T longCall(Supplier<T> part) {
    return part.get();
  }

  /** From 0 (inclusive) to 1 (exclusive), another one each time. */
  double random();

  /** The number of the item that the row comes from. */
  long documentId();

  /** On what the shapes of the collection lie. */
  default GeospatialType geospatialType() {
    return GeospatialType.GEOGRAPHY;
  }

  /**
   * Returns what the collection's embedding policy says of the vectors at a path, or null if it
   * says nothing.
   *
   * @param path the canonical text, such as {@code /vector}
   */
  default @Nullable VectorEmbedding vectorEmbedding(String path) {
    return null;
  }

  /**
   * Whether ARRAY_CONTAINS with a part of an object compares objects inside of it in part too,
   * instead of fully.
   */
  default boolean deepPartial() {
    return false;
  }
}
