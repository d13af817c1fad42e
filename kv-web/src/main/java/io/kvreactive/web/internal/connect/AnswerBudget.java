package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.internal.http.ByteBudget;

/**
 * The memory of answers that are being made and sent, all together. An answer must be whole before
 * its first byte is sent, and clients may take their time; so there is a bound, and who comes when
 * it is reached is told to come again.
 */
final class AnswerBudget {
  /**
   * The largest answer: what Deno may ask for at most is 1000 values of 64 KiB and their keys, 67
   * MiB.
   */
  static final long MOST_OF_ONE = 72L << 20;

  /** A quarter of the heap is for answers. */
  static final ByteBudget OF_ALL =
      new ByteBudget("answers", Math.max(MOST_OF_ONE, Runtime.getRuntime().maxMemory() / 4));

  private AnswerBudget() {}

  /**
   * Takes more for one answer.
   *
   * @throws KvException LIMIT_EXCEEDED when it becomes too large, OVERLOADED when all together do
   */
  static void take(ByteBudget.Share share, long more) {
    if (share.taken() + more > MOST_OF_ONE) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "the answer has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
              .formatted(MOST_OF_ONE));
    }
    share.take(more);
  }
}
