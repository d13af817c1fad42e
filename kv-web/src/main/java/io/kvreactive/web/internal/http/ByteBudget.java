package io.kvreactive.web.internal.http;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that many requests take from. Who comes when it is spent is told to come again. Safe on
 * any thread.
 */
public final class ByteBudget {
  private final String what;
  private final long most;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param what takes it, for messages
   */
  public ByteBudget(String what, long most) {
    this.what = what;
    this.most = most;
  }

  /** How much is taken now. */
  public long taken() {
    return taken.get();
  }

  /** What one request takes; to be released. */
  public Share share() {
    return new Share();
  }

  /** What one request takes. */
  public final class Share {
    private long bytes;
    private boolean released;

    private Share() {}

    /**
     * Takes more; nothing once it was released, for then nobody waits for the answer any more.
     *
     * @throws KvException OVERLOADED when all together have taken too much
     */
    public synchronized void take(long more) {
      if (released) {
        return;
      }
      long all = taken.addAndGet(more);
      if (all > most) {
        taken.addAndGet(-more);
        throw new KvException(
            KvErrorCode.OVERLOADED,
            "%s: %d bytes at a time (expected: at most %d)".formatted(what, all, most));
      }
      bytes += more;
    }

    /** Gives some of it back. */
    public synchronized void give(long fewer) {
      if (!released) {
        taken.addAndGet(-fewer);
        bytes -= fewer;
      }
    }

    /** How much it has taken. */
    public synchronized long taken() {
      return bytes;
    }

    /** Gives all of it back. Idempotent. */
    public synchronized void release() {
      released = true;
      taken.addAndGet(-bytes);
      bytes = 0;
    }
  }
}
