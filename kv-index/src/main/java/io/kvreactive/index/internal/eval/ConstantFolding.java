package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.spi.EvaluationContext;
import java.time.Instant;
import java.util.List;

/**
 * Computes what depends on no row once, as long as that is little: nothing else bounds what is done
 * and kept before a query runs. The rest is left to rows, whose budget it is then. For compiling
 * one query.
 */
final class ConstantFolding {
  /** Values that weigh no more are always computed: they are not much longer than their text. */
  private static final long SMALL = 256;

  /** What all others may weigh, and what they are made of. */
  private static final long MOST = 256 * 1024;

  /** Values that may be made in vain, of calls: little text makes a long value. */
  private static final int MOST_IN_VAIN = 16;

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

  private static final Row ROW =
      new Row(new JsonNode[0], null, new Execution(CONTEXT, Budget.unlimited()));

  private long left = MOST;
  private int inVain;

  /** For what makes values that are not much longer than its parts. */
  Evaluator folded(Evaluator evaluator, List<Evaluator> parts) {
    return isKnown(parts) && pay(weight(parts)) ? kept(evaluator) : evaluator;
  }

  Evaluator call(Evaluator evaluator, List<Evaluator> arguments) {
    return inVain < MOST_IN_VAIN ? folded(evaluator, arguments) : evaluator;
  }

  /** For what only picks or collects its parts, which are there already. */
  static Evaluator shared(Evaluator evaluator, List<Evaluator> parts) {
    return isKnown(parts) ? new ConstantEvaluator(evaluator.value(ROW)) : evaluator;
  }

  private Evaluator kept(Evaluator evaluator) {
    JsonNode value = evaluator.value(ROW);
    if (pay(MemoryEstimator.of(value, enough()))) {
      return new ConstantEvaluator(value);
    }
    inVain++;
    return evaluator;
  }

  private static boolean isKnown(List<Evaluator> parts) {
    return parts.stream().allMatch(ConstantEvaluator.class::isInstance);
  }

  private long weight(List<Evaluator> parts) {
    long weight = 0;
    for (Evaluator part : parts) {
      if (part instanceof ConstantEvaluator known && weight <= enough()) {
        weight += MemoryEstimator.of(known.constant(), enough());
      }
    }
    return weight;
  }

  /** Where weighing may end. */
  private long enough() {
    return Math.max(left, SMALL);
  }

  private boolean pay(long weight) {
    if (weight <= SMALL) {
      return true;
    } else if (weight > left) {
      return false;
    }
    left -= weight;
    return true;
  }
}
