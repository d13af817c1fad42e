package io.kvreactive.web.internal.http;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A budget of bytes that many requests share, optionally as a part of a larger budget. A request
 * fails with OVERLOADED if the budget is spent, and with LIMIT_EXCEEDED if it needs more bytes at
 * once than the whole budget. Thread-safe.
 */
public final class ByteBudget {
  private final String what;
  private final long most;
  private final @Nullable ByteBudget whole;
  private final AtomicLong taken = new AtomicLong();

  /**
   * Creates a budget.
   *
   * @param what the use of the bytes, for messages
   * @param most the maximum number of bytes
   */
  public ByteBudget(String what, long most) {
    this(what, most, null);
  }

  private ByteBudget(String what, long most, @Nullable ByteBudget whole) {
    this.what = what;
    this.most = most;
    this.whole = whole;
  }

  /** Returns a part of this budget: bytes taken from the part are also taken from this budget. */
  ByteBudget part(String partOf, long mostOfPart) {
    return new ByteBudget(partOf, Math.min(mostOfPart, most), this);
  }

  /** Returns the number of bytes that are taken. */
  public long taken() {
    return taken.get();
  }

  /** Returns the maximum number of bytes. */
  public long most() {
    return most;
  }

  /** Returns a new share for one request. The share must be released. */
  public Share share() {
    return new Share();
  }

  private boolean isSpent() {
    return taken.get() >= most || whole != null && whole.isSpent();
  }

  private void take(long more) {
    long all = taken.addAndGet(more);
    if (all > most) {
      taken.addAndGet(-more);
      throw new KvException(
          KvErrorCode.OVERLOADED,
          "%s: %d bytes at a time (expected: at most %d)".formatted(what, all, most));
    }
    if (whole != null) {
      try {
        whole.take(more);
      } catch (KvException e) {
        taken.addAndGet(-more);
        throw e;
      }
    }
  }

  private void add(long more) {
    taken.addAndGet(more);
    if (whole != null) {
      whole.add(more);
    }
  }

  /** The bytes that one request has taken. */
  public final class Share {
    private long bytes;
    private boolean released;

    private Share() {}

    /**
     * Takes more bytes. Does nothing after the release, because nothing awaits the response any
     * more.
     *
     * @throws KvException OVERLOADED if all requests together would exceed the budget;
     *     LIMIT_EXCEEDED if {@code more} alone exceeds it
     */
    public synchronized void take(long more) {
      if (released) {
        return;
      }
      if (more > most) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "%s: %d bytes at once (expected: at most %d)".formatted(what, more, most));
      }
      ByteBudget.this.take(more);
      bytes += more;
    }

    /** Takes bytes that are already in memory, even if this exceeds the budget. */
    public synchronized void add(long more) {
      if (!released) {
        ByteBudget.this.add(more);
        bytes += more;
      }
    }

    /** Returns some of the bytes to the budget. */
    public synchronized void give(long fewer) {
      if (!released) {
        ByteBudget.this.add(-fewer);
        bytes -= fewer;
      }
    }

    /** Returns true if no further bytes can be taken. */
    public boolean isSpent() {
      return ByteBudget.this.isSpent();
    }

    /** Returns the number of bytes that this request has taken. */
    public synchronized long taken() {
      return bytes;
    }

    /** Returns all bytes to the budget. Idempotent. */
    public synchronized void release() {
      released = true;
      ByteBudget.this.add(-bytes);
      bytes = 0;
    }
  }
}
