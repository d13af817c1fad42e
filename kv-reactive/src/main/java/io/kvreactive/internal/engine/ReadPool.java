package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SpinWait;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of reader threads. Reads may wait for the disk, so they never run on an event loop; they
 * never run on the store thread, so they never wait for a commit.
 *
 * <p>A read of one key takes a few microseconds, about as long as waking a thread. So a short read
 * wakes no thread while some thread is processing short reads. A thread that starts a long read, or
 * whose last read was slow because it read the disk, first wakes another thread for the waiting
 * reads. (A plain thread pool was measured at half the rate.)
 *
 * <p>A short read may still stall on a disk that does not answer. So while reads rely on awake
 * threads, a task checks them every millisecond. Threads that have been in one short read for that
 * long count as busy.
 */
final class ReadPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ReadPool.class);

  /** A read that may take longer than waking a thread. */
  interface LongRead extends Runnable {}

  private static final long SLOW_NANOS = 100_000;

  /** Time after which a short read counts as stalled. */
  private static final long STALL_NANOS = 1_000_000;

  private static final long NONE = 0;
  private static final long BUSY = 2; // not ready: in a long or a stalled read

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedDeque<Reader> idle = new ConcurrentLinkedDeque<>();
  private final AtomicInteger ready = new AtomicInteger(); // awake and not in a long read
  private final List<Reader> readers = new ArrayList<>();
  private final Consumer<Runnable> soon;
  private final AtomicBoolean watching = new AtomicBoolean();
  private final AtomicInteger visitors = new AtomicInteger(); // reads on threads of callers
  private volatile @Nullable Thread closer;
  private volatile boolean closed;

  /**
   * Creates a pool.
   *
   * @param soon runs a task about a millisecond later, on a thread that does not wait for reads
   */
  ReadPool(String store, int size, Consumer<Runnable> soon) {
    this.soon = soon;
    for (int i = 0; i < size; i++) {
      Reader reader = new Reader("kv-reader-" + store + "-" + i);
      readers.add(reader);
      ready.incrementAndGet();
      reader.start();
    }
  }

  /**
   * Runs a read.
   *
   * @throws KvException CLOSED
   */
  @Override
  public void execute(Runnable read) {
    if (closed) {
      throw new KvException(KvErrorCode.CLOSED, "the store is closed");
    }
    waiting.add(read);
    if (closed && waiting.remove(read)) { // the readers may have ended before it was added
      throw new KvException(KvErrorCode.CLOSED, "the store is closed");
    }
    if (ready.get() == 0) {
      wakeOne();
    } else if (!idle.isEmpty()) {
      watch();
    }
  }

  private void watch() {
    if (!watching.get() && watching.compareAndSet(false, true)) {
      soon.accept(this::look);
    }
  }

  private void look() {
    long now = System.nanoTime();
    boolean reading = false;
    for (Reader reader : readers) {
      reading |= reader.isReading(now);
    }
    watching.set(false); // first: a read that is added now either starts a watch or is seen here
    if ((reading || !waiting.isEmpty()) && !idle.isEmpty()) {
      watch();
    }
  }

  /**
   * Runs a read on the calling thread.
   *
   * @throws KvException CLOSED
   */
  <T> T here(Supplier<T> read) {
    visitors.incrementAndGet();
    try {
      if (closed) {
        throw new KvException(KvErrorCode.CLOSED, "the store is closed");
      }
      return read.get();
    } finally {
      if (visitors.decrementAndGet() == 0 && closed) {
        LockSupport.unpark(closer);
      }
    }
  }

  /** Returns the number of reads that wait for a thread. */
  int waiting() {
    return waiting.size();
  }

  private void wakeOne() {
    Reader reader = idle.pollFirst();
    if (reader != null) {
      ready.incrementAndGet(); // already here, so that the next read does not wake another thread
      LockSupport.unpark(reader);
    }
  }

  private final class Reader extends Thread {
    private final SpinWait spinWait = new SpinWait();
    private long lastNanos;

    /**
     * The start of the running short read, an odd number; otherwise {@link #NONE} or {@link #BUSY}.
     */
    private final AtomicLong shortRead = new AtomicLong(NONE);

    Reader(String name) {
      super(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      while (true) {
        @Nullable Runnable read = waiting.poll();
        if (read != null) {
          run(read);
        } else if (closed) {
          return;
        } else {
          rest();
        }
      }
    }

    private void run(Runnable read) {
      boolean isLong = read instanceof LongRead || lastNanos > SLOW_NANOS;
      long begin = System.nanoTime();
      if (isLong) {
        shortRead.set(BUSY);
        leaveReady();
      } else {
        shortRead.set(begin | 1);
      }
      try {
        read.run();
      } catch (Throwable e) { // reads report their failures themselves
        LOG.error("a read threw", e);
      } finally {
        lastNanos = System.nanoTime() - begin;
        if (shortRead.getAndSet(NONE) == BUSY) {
          ready.incrementAndGet();
        }
      }
    }

    /** Returns true if a short read is running. A stalled one makes the thread busy. */
    boolean isReading(long now) {
      long began = shortRead.get();
      if (began == NONE || began == BUSY) {
        return false;
      }
      if (now - began < STALL_NANOS) {
        return true;
      }
      if (shortRead.compareAndSet(began, BUSY)) {
        leaveReady();
      }
      return false;
    }

    private void leaveReady() {
      if (ready.decrementAndGet() == 0 && !waiting.isEmpty()) {
        wakeOne();
      }
    }

    private void rest() {
      if (spinWait.until(() -> closed || !waiting.isEmpty())) {
        return;
      }
      idle.addFirst(this);
      ready.decrementAndGet();
      // reads added from now on see that no thread is ready; those added before are seen here
      if (waiting.isEmpty() && !closed) {
        LockSupport.park(ReadPool.this);
      }
      if (idle.remove(this)) {
        ready.incrementAndGet(); // not woken by another thread
      }
    }
  }

  /** Rejects further reads and waits for the accepted ones. Blocks. */
  void close() throws InterruptedException {
    closer = Thread.currentThread();
    closed = true;
    readers.forEach(LockSupport::unpark); // all: waiting reads must not wait for a stalled one
    for (Reader reader : readers) {
      reader.join();
    }
    while (visitors.get() > 0) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }
}
