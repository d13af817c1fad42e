package io.kvreactive.web.internal.http;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A budget of bytes that many requests share, which may be part of a larger budget. A request fails
 * with OVERLOADED if the budget is spent, and with LIMIT_EXCEEDED if it needs more at once than the
 * whole budget. Thread-safe.
 */
public final class ByteBudget {
  private final String what;
  private final long most;
  private final @Nullable ByteBudget whole;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param what the use of the bytes, for messages
   */
  public ByteBudget(String what, long most) {
    this(what, most, null);
  }

  private ByteBudget(String what, long most, @Nullable ByteBudget whole) {
    this.what = what;
    this.most = most;
    this.whole = whole;
  }

  /** Returns a budget whose bytes are also taken from this one. */
  ByteBudget part(String partOf, long mostOfPart) {
    return new ByteBudget(partOf, Math.min(mostOfPart, most), this);
  }

  /** Returns the number of bytes that are taken now. */
  public long taken() {
    return taken.get();
  }

  /** Returns the number of bytes that can be taken. */
  public long most() {
    return most;
  }

  /** Returns the share of one request, which must be released. */
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
     * Takes more bytes. Does nothing after the release, because the response is no longer awaited.
     *
     * @throws KvException OVERLOADED if all requests together have taken too much; LIMIT_EXCEEDED
     *     if the bytes exceed the whole budget
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

    /** Takes bytes that are already in memory, even above the budget. */
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

    /** Returns true if no further bytes can be taken now. */
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
