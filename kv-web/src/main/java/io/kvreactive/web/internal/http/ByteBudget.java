package io.kvreactive.web.internal.http;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A budget of bytes that many requests share, optionally as a part of a larger budget. If the
 * budget is spent, a request fails with OVERLOADED or waits, as it chooses. It fails with
 * LIMIT_EXCEEDED if it needs more bytes at once than the whole budget. Thread-safe.
 */
public final class ByteBudget {
  /**
   * Bytes above which a share that waits may be overtaken by others, so that it does not delay
   * those that want little.
   */
  static final long MANY_BYTES = 4 << 20;

  /** The number of times that a share may be overtaken. */
  static final int MAX_OVERTAKING = 16;

  private final String what;
  private final long most;
  private final @Nullable ByteBudget whole;
  private final Waiting waiting;
  private final AtomicLong taken = new AtomicLong();
  private final Set<Share> queue = new LinkedHashSet<>(); // guarded by waiting

  /** The budgets of one tree for whose bytes shares wait. Their queues are guarded by it. */
  private static final class Waiting {
    private final Set<ByteBudget> budgets = new LinkedHashSet<>();

    /** The number of shares that wait or are about to. */
    private final AtomicInteger shares = new AtomicInteger();
  }

  /**
   * Creates a budget.
   *
   * @param what the use of the bytes, for messages
   * @param most the maximum number of bytes
   */
  public ByteBudget(String what, long most) {
    this(what, most, null, new Waiting());
  }

  private ByteBudget(String what, long most, @Nullable ByteBudget whole, Waiting waiting) {
    this.what = what;
    this.most = most;
    this.whole = whole;
    this.waiting = waiting;
  }

  /** Returns a part of this budget: bytes taken from the part are also taken from this budget. */
  ByteBudget part(String partOf, long mostOfPart) {
    return new ByteBudget(partOf, Math.min(mostOfPart, most), this, waiting);
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
    return share(() -> {});
  }

  /**
   * Returns a new share.
   *
   * @param released runs once, when the share is released
   */
  Share share(Runnable released) {
    return new Share(released);
  }

  private boolean isSpent() {
    return taken.get() >= most || whole != null && whole.isSpent();
  }

  /**
   * Takes bytes. Returns null, or the budget that has too few left. If that is a larger budget,
   * this one has held the bytes for a moment: {@link #refused} must follow, unless the caller holds
   * the lock of the shares that wait.
   */
  private @Nullable ByteBudget take(long more) {
    long before;
    do {
      before = taken.get();
      if (before + more > most) {
        return this;
      }
    } while (!taken.compareAndSet(before, before + more));
    ByteBudget spent = whole == null ? null : whole.take(more);
    if (spent != null) {
      taken.addAndGet(-more);
    }
    return spent;
  }

  private void add(long more) {
    taken.addAndGet(more);
    if (whole != null) {
      whole.add(more);
    }
  }

  /** Serves the shares that wait, if an attempt held bytes of this budget that they missed. */
  private void refused(ByteBudget spent) {
    if (spent != this) {
      serveWaiting();
    }
  }

  private KvException overloaded(long more) {
    return new KvException(
        KvErrorCode.OVERLOADED,
        "%s: %d bytes at a time (expected: at most %d)".formatted(what, taken.get() + more, most));
  }

  /**
   * Gives free bytes to the shares that wait. The shares of a budget get them in the order in which
   * they began to wait, but a share that wants many bytes may be overtaken. Budgets take turns.
   */
  private void serveWaiting() {
    if (waiting.shares.get() == 0) {
      return;
    }
    List<Runnable> served = new ArrayList<>();
    synchronized (waiting) {
      boolean more = true;
      while (more) {
        more = false;
        for (ByteBudget budget : List.copyOf(waiting.budgets)) {
          Runnable next = budget.serveFirst();
          if (next != null) {
            served.add(next);
            more = true;
          }
        }
      }
    }
    served.forEach(Runnable::run);
  }

  /**
   * Serves the first share whose bytes are free, unless it would overtake others that it may not.
   */
  private @Nullable Runnable serveFirst() {
    List<Share> overtaken = new ArrayList<>();
    for (Iterator<Share> shares = queue.iterator(); shares.hasNext(); ) {
      Share share = shares.next();
      if (take(share.wanted) == null) {
        overtaken.forEach(each -> each.timesOvertaken++);
        shares.remove();
        stopWaiting();
        return share.served();
      } else if (share.wanted <= MANY_BYTES || share.timesOvertaken == MAX_OVERTAKING) {
        return null;
      }
      overtaken.add(share);
    }
    return null;
  }

  /** Records that a share has left the queue. */
  private void stopWaiting() {
    waiting.shares.decrementAndGet();
    if (queue.isEmpty()) {
      waiting.budgets.remove(this);
    }
  }

  /** The bytes that one request has taken. */
  public final class Share {
    private final Runnable onRelease;
    private long bytes;
    private boolean released;
    private long wanted; // while this share waits; guarded by waiting, as the next two
    private int timesOvertaken;
    private @Nullable Runnable granted;

    private Share(Runnable onRelease) {
      this.onRelease = onRelease;
    }

    /**
     * Takes more bytes. Does nothing after the release, because nothing awaits the response any
     * more.
     *
     * @throws KvException OVERLOADED if all requests together would exceed the budget;
     *     LIMIT_EXCEEDED if {@code more} alone exceeds it
     */
    public void take(long more) {
      requireBelowMost(more);
      ByteBudget spent;
      synchronized (this) {
        if (released) {
          return;
        }
        spent = ByteBudget.this.take(more);
        if (spent == null) {
          bytes += more;
          return;
        }
      }
      refused(spent);
      throw spent.overloaded(more);
    }

    /**
     * Takes more bytes if they are free.
     *
     * @return false if all requests together would exceed the budget, or after the release
     */
    public boolean tryTake(long more) {
      ByteBudget spent;
      synchronized (this) {
        if (released) {
          return false;
        }
        spent = ByteBudget.this.take(more);
        if (spent == null) {
          bytes += more;
          return true;
        }
      }
      refused(spent);
      return false;
    }

    /**
     * Takes more bytes as soon as they are free. A share waits for one thing at a time.
     *
     * @param action called once, when the bytes are taken: in this call, or by a thread that
     *     returned bytes to the budget or was refused some; never called if the share is released
     *     before
     * @throws KvException LIMIT_EXCEEDED if {@code more} alone exceeds the budget
     */
    public void takeWhenFree(long more, Runnable action) {
      requireBelowMost(more);
      synchronized (waiting) {
        if (isReleased()) {
          return;
        }
        wanted = more;
        timesOvertaken = 0;
        granted = action;
        queue.add(this);
        waiting.budgets.add(ByteBudget.this);
        waiting.shares.incrementAndGet(); // before the attempt, which bytes given later follow
      }
      serveWaiting();
    }

    private void requireBelowMost(long more) {
      if (more > most) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "%s: %d bytes at once (expected: at most %d)".formatted(what, more, most));
      }
    }

    private synchronized boolean isReleased() {
      return released;
    }

    /** Records that the wanted bytes were taken, and returns what is to be run. */
    private Runnable served() {
      Runnable action = granted;
      granted = null;
      synchronized (this) {
        bytes += wanted;
      }
      return action == null ? () -> {} : action;
    }

    /** Takes bytes that are already in memory, even if this exceeds the budget. */
    public synchronized void add(long more) {
      if (!released) {
        ByteBudget.this.add(more);
        bytes += more;
      }
    }

    /** Returns some of the bytes to the budget. */
    public void give(long fewer) {
      synchronized (this) {
        if (released) {
          return;
        }
        ByteBudget.this.add(-fewer);
        bytes -= fewer;
      }
      serveWaiting();
    }

    /** Returns the failure of a request that has waited too long for more bytes. */
    public KvException overloaded(long more) {
      return ByteBudget.this.overloaded(more);
    }

    /** Returns the maximum number of bytes that this request can take. */
    public long most() {
      return most;
    }

    /** Returns true if no further bytes can be taken. */
    public boolean isSpent() {
      return ByteBudget.this.isSpent();
    }

    /** Returns the number of bytes that this request has taken. */
    public synchronized long taken() {
      return bytes;
    }

    /** Returns all bytes to the budget, and stops waiting. Idempotent. */
    public void release() {
      synchronized (waiting) {
        if (queue.remove(this)) {
          granted = null;
          stopWaiting();
        }
        synchronized (this) {
          if (released) {
            return;
          }
          released = true;
          ByteBudget.this.add(-bytes);
          bytes = 0;
        }
      }
      serveWaiting();
      onRelease.run();
    }
  }
}
