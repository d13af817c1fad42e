package io.kvreactive.internal.shared;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.NonBlocking;

/**
 * The thread on which signals are emitted for subscribers without a Vert.x context. Runs tasks one
 * at a time, in order. Reactor refuses to block on it, because a blocked callback would delay all
 * others. It starts with the first task and ends after an idle period. So it need not be closed,
 * and late signals, such as the end of a store, still arrive.
 */
public final class CallbackThread implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(CallbackThread.class);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final String name;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean running = new AtomicBoolean();
  private final SpinWait spinWait = new SpinWait(); // of the running worker
  private volatile @Nullable Thread parked;

  private final class Worker extends Thread implements NonBlocking {
    Worker() {
      super(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      work();
    }
  }

  public CallbackThread(String name) {
    this.name = name;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    Thread sleeping = parked;
    if (sleeping != null) {
      LockSupport.unpark(sleeping);
    } else if (!running.get()) {
      startUnlessRunning();
    }
  }

  private void startUnlessRunning() {
    if (running.compareAndSet(false, true)) {
      try {
        new Worker().start();
      } catch (Throwable e) { // no thread is available now; the next task tries again
        running.set(false);
        throw e;
      }
    }
  }

  private void work() {
    do {
      runAll();
      parkUntilTask();
    } while (!tasks.isEmpty());
    running.set(false);
    if (!tasks.isEmpty()) {
      startUnlessRunning(); // it arrived after the last check, and saw this thread running
    }
  }

  private void parkUntilTask() {
    if (spinWait.until(() -> !tasks.isEmpty())) {
      return;
    }
    parked = Thread.currentThread();
    long end = System.nanoTime() + IDLE_NANOS;
    long left;
    while (tasks.isEmpty() && (left = end - System.nanoTime()) > 0) {
      LockSupport.parkNanos(this, left);
    }
    parked = null;
  }

  private void runAll() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      try {
        task.run();
      } catch (Throwable e) { // a defect of one subscriber must not end the callbacks of others
        LOG.error("a subscriber threw", e);
      }
    }
  }
}
