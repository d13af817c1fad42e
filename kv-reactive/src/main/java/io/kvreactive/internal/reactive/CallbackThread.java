package io.kvreactive.internal.reactive;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.NonBlocking;

/**
 * The thread that signals are emitted on for subscribers without a Vert.x context. It runs tasks in
 * order; Reactor refuses to block on it, because a blocked callback would hold up every other.
 */
public final class CallbackThread implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CallbackThread.class);

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Worker worker;
  private volatile boolean parked;
  private volatile boolean closed;
  private volatile boolean ended;

  private final class Worker extends Thread implements NonBlocking {
    Worker(String name) {
      super(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      work();
    }
  }

  public CallbackThread(String name) {
    worker = new Worker(name);
    worker.start();
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (ended) {
      runRest(); // a handle that is closed still answers
    } else if (parked) {
      LockSupport.unpark(worker);
    }
  }

  private synchronized void runRest() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      run(task);
    }
  }

  private void work() {
    while (true) {
      Runnable task = tasks.poll();
      if (task != null) {
        run(task);
      } else if (closed) {
        ended = true; // from here on nobody relies on this thread
        runRest();
        return;
      } else {
        parkUntilTask();
      }
    }
  }

  private void parkUntilTask() {
    parked = true;
    try {
      if (tasks.isEmpty() && !closed) {
        LockSupport.park(this);
      }
    } finally {
      parked = false;
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) { // a subscriber's bug must not end everybody's callbacks
      LOG.error("a subscriber threw", e);
    }
  }

  /**
   * The thread ends when the tasks that are there have run; later ones run where they come from.
   */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(worker);
  }
}
