package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.eval.functions.EvaluationContext;
import java.time.Instant;

/** The row for what depends on no row. */
final class Folding {
  private static final EvaluationContext CONTEXT =
      new EvaluationContext() {
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
      };

  static final Row ROW = new Row(new JsonNode[0], null, new Execution(CONTEXT, Budget.unlimited()));

  private Folding() {}
}
