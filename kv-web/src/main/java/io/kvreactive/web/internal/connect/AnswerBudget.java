package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicLong;

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
  static final AnswerBudget OF_ALL =
      new AnswerBudget(Math.max(MOST_OF_ONE, Runtime.getRuntime().maxMemory() / 4));

  private final long most;
  private final AtomicLong taken = new AtomicLong();

  AnswerBudget(long most) {
    this.most = most;
  }

  /** The share of one answer; to be released. */
  Share share() {
    return new Share();
  }

  /** How much is taken now. */
  long taken() {
    return taken.get();
  }

  /** What one answer takes. Any thread. */
  final class Share {
    private long bytes;
    private boolean released;

    /**
     * Takes more.
     *
     * @throws KvException LIMIT_EXCEEDED when one answer becomes too large, OVERLOADED when all
     *     together do
     */
    synchronized void take(long more) {
      if (released) {
        return; // nobody waits for the answer any more
      }
      if (bytes + more > MOST_OF_ONE) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "the answer has more than %d bytes (expected: a read of fewer entries, such as a list with a smaller batchSize)"
                .formatted(MOST_OF_ONE));
      }
      if (taken.addAndGet(more) > most) {
        taken.addAndGet(-more);
        throw new KvException(
            KvErrorCode.OVERLOADED,
            "answers of %d bytes are being sent (expected: at most %d)"
                .formatted(taken.get(), most));
      }
      bytes += more;
    }

    /** Gives all of it back. Idempotent. */
    synchronized void release() {
      released = true;
      taken.addAndGet(-bytes);
      bytes = 0;
    }
  }
}
