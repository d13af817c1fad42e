package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.policy.EmbeddingPolicy;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.documents.spi.EvaluationContext;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The evaluation context of the functions called for the rows of an item. */
record ItemContext(
    InstantSource clock,
    Instant queryTime,
    long documentId,
    GeospatialType geospatialType,
    EmbeddingPolicy embeddings)
    implements EvaluationContext {

  /** Returns the context of an item of a collection. */
  static ItemContext of(
      CollectionDefinition definition, InstantSource clock, Instant queryTime, long documentId) {
    return new ItemContext(
        clock, queryTime, documentId, definition.geospatialType(), EmbeddingPolicy.of(definition));
  }

  /** Returns the context of rows that are no items. */
  ItemContext ofRows() {
    return new ItemContext(clock, queryTime, documentId, geospatialType, EmbeddingPolicy.NONE);
  }

  /** Returns the context of another item of the same query. */
  ItemContext of(long docId) {
    return new ItemContext(clock, queryTime, docId, geospatialType, embeddings);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public @Nullable VectorEmbedding vectorEmbedding(String path) {
    return embeddings.get(path);
  }

  @Override
  public <T> T longCall(Supplier<T> part) {
    return WorkerThread.longCall(part);
  }

  @Override
  public void checkpoint() {
    WorkerThread.checkpoint();
  }

  @Override
  public double random() {
    return ThreadLocalRandom.current().nextDouble();
  }
}
