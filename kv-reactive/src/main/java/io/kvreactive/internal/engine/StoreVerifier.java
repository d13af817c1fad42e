package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.store.verify.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** Verifies a store in steps, between which other tasks of the same thread run. */
public final class StoreVerifier implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreVerifier.class);
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Supplier<Verification> begin;
  private final Runnable check;
  private final Runnable ended;
  private final Executor thread;
  private final FluxSink<VerifyReport> sink;
  private volatile boolean cancelled;
  private @Nullable Verification verification;
  private long reported = System.nanoTime();

  private StoreVerifier(
      Supplier<Verification> begin,
      Runnable check,
      Runnable ended,
      Executor thread,
      FluxSink<VerifyReport> sink) {
    this.begin = begin;
    this.check = check;
    this.ended = ended;
    this.thread = thread;
    this.sink = sink;
  }

  /**
   * Verifies in steps on a thread.
   *
   * @param begin creates the verification; called on that thread
   * @param check throws a KvException if the verification cannot continue; called on that thread
   *     before each step
   * @param ended called once for each subscription when nothing is read any more
   * @param thread an executor that runs one task at a time
   */
  static Flux<VerifyReport> verify(
      Supplier<Verification> begin, Runnable check, Runnable ended, Executor thread) {
    return Flux.create(
        sink -> {
          StoreVerifier verifier = new StoreVerifier(begin, check, ended, thread, sink);
          sink.onCancel(() -> verifier.cancelled = true);
          verifier.schedule();
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  /** Verifies the store or backup in a directory; each subscription on a dedicated thread. */
  public static Flux<VerifyReport> verify(Path directory) {
    return Flux.create(
        sink -> {
          StoreVerifier verifier =
              new StoreVerifier(
                  () -> Verification.of(directory), () -> {}, () -> {}, Runnable::run, sink);
          sink.onCancel(() -> verifier.cancelled = true);
          Thread thread = new Thread(verifier::runToEnd, "kv-verify-" + directory.getFileName());
          thread.setDaemon(true);
          thread.start();
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  private void runToEnd() {
    boolean more = true;
    while (more) {
      more = step();
    }
  }

  @Override
  public void run() {
    if (step()) {
      schedule();
    }
  }

  private void schedule() {
    try {
      thread.execute(this);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed while verifying", e);
      end(new KvException(KvErrorCode.CLOSED, "the store is closed"));
    }
  }

  private boolean step() {
    if (cancelled) {
      close();
      return false;
    }
    try {
      check.run();
      Verification current = verification;
      if (current == null) {
        current = begin.get();
        verification = current;
      }
      if (current.step(STEP_NANOS)) {
        if (System.nanoTime() - reported >= REPORT_NANOS) {
          sink.next(current.report());
          reported = System.nanoTime();
        }
        return true;
      }
      close();
      sink.next(current.report());
      sink.complete();
    } catch (KvException e) {
      end(e);
    } catch (RuntimeException | Error e) {
      end(new KvException(KvErrorCode.INTERNAL, "verifying failed: " + e, e));
    }
    return false;
  }

  private void end(KvException failure) {
    close();
    sink.error(failure);
  }

  private void close() {
    Verification open = verification;
    verification = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.warn("closing the verified files failed", e);
      }
    }
    ended.run();
  }
}
