package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read pages: reads may wait for the disk, so they never run on an event loop, and
 * never on the store thread, so they never wait for a commit.
 */
final class ReadPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ReadPool.class);

  private final ThreadPoolExecutor threads;

  ReadPool(String store, int size) {
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            size,
            size,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread =
                  new Thread(task, "kv-reader-" + store + "-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Runs a short read.
   *
   * @throws KvException CLOSED
   */
  @Override
  public void execute(Runnable read) {
    try {
      threads.execute(read);
    } catch (RejectedExecutionException e) {
      throw new KvException(KvErrorCode.CLOSED, "the store is closed", e);
    }
  }

  /** Takes no more reads and waits for those that were taken. Blocks. */
  void close() throws InterruptedException {
    threads.shutdown();
    while (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
      LOG.warn("a read has kept the store open for a minute");
    }
  }
}
