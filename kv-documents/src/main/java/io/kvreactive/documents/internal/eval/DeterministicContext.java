package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.spi.EvaluationContext;
import java.time.Instant;

/** The context of deterministic functions, which use neither time nor chance. */
enum DeterministicContext implements EvaluationContext {
  NONE;

  @Override
  public Instant now() {
    return Instant.EPOCH;
  }

  @Override
  public Instant queryTime() {
    return Instant.EPOCH;
  }

  @Override
  public double random() {
    return 0;
  }

  @Override
  public long documentId() {
    return 0;
  }
}
