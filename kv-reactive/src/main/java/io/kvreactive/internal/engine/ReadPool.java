package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
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
 * The threads that read pages: reads may wait for the disk, so they never run on an event loop, and
 * never on the store thread, so they never wait for a commit.
 *
 * <p>A read of one key is a few microseconds, about what it takes to wake a thread. So a short read
 * wakes nobody while some thread works through short reads already, and a thread that turns to a
 * long one, or whose last one took long because the disk had to be asked, first wakes another for
 * what waits. (A plain thread pool was measured at half the rate.)
 *
 * <p>A short read may stand still all the same, on a disk that does not answer. So while reads rely
 * on threads that are awake, a watch looks every millisecond for those that have been in one read
 * for as long, and counts them as busy.
 */
final class ReadPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ReadPool.class);

  /** A read that may take longer than waking a thread. */
  interface LongRead extends Runnable {}

  private static final long SLOW_NANOS = 100_000;

  /** A short read that takes longer stands still. */
  private static final long STALL_NANOS = 1_000_000;

  private static final long NONE = 0;
  private static final long BUSY = 2; // not ready: in a long read, or in one that stands still

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedDeque<Reader> idle = new ConcurrentLinkedDeque<>();
  private final AtomicInteger ready = new AtomicInteger(); // awake and not in a long read
  private final List<Reader> readers = new ArrayList<>();
  private final Consumer<Runnable> soon;
  private final AtomicBoolean watching = new AtomicBoolean();
  private final AtomicInteger visitors = new AtomicInteger(); // reads on threads of others
  private volatile @Nullable Thread closer;
  private volatile boolean closed;

  /**
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
    if (closed && waiting.remove(read)) { // the readers may have left before it came
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
    watching.set(false); // first: whoever adds from now on sees it, or is seen here
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

  /** How many reads wait for a thread. */
  int waiting() {
    return waiting.size();
  }

  private void wakeOne() {
    Reader reader = idle.pollFirst();
    if (reader != null) {
      ready.incrementAndGet(); // from here on, so that the next read does not wake another
      LockSupport.unpark(reader);
    }
  }

  private final class Reader extends Thread {
    private long lastNanos;

    /** When the short read began that is running: odd. Else {@link #NONE} or {@link #BUSY}. */
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

    /** Returns true if a short read is running. One that stands still makes the thread busy. */
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
      idle.addFirst(this);
      ready.decrementAndGet();
      // whoever adds from now on sees that nobody is ready; what was added before is seen here
      if (waiting.isEmpty() && !closed) {
        LockSupport.park(ReadPool.this);
      }
      if (idle.remove(this)) {
        ready.incrementAndGet(); // nobody has woken this one
      }
    }
  }

  /** Takes no more reads and waits for those that were taken. Blocks. */
  void close() throws InterruptedException {
    closer = Thread.currentThread();
    closed = true;
    readers.forEach(LockSupport::unpark); // all: what waits must not wait for one that stands still
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
