package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.eval.functions.EvaluationContext;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;

/** What functions may know when they are called for the rows of an item. */
record ItemContext(InstantSource clock, Instant queryTime, long documentId)
    implements EvaluationContext {

  /** For another item of the same query. */
  ItemContext of(long docId) {
    return new ItemContext(clock, queryTime, docId);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public double random() {
    return ThreadLocalRandom.current().nextDouble();
  }
}
