package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.DocumentErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * Runs named tasks. Each task runs at most once at a time, and once more if it was triggered
 * meanwhile.
 */
final class NamedTasks {
  private static final Logger LOG = LoggerFactory.getLogger(NamedTasks.class);

  private static final int AGAIN_SECONDS = 5;

  private final Map<String, Boolean> running = new HashMap<>(); // true: once more; guarded by this
  private final Sinks.Empty<Void> ended = Sinks.empty();
  private final Scheduler worker;
  private volatile boolean stopped;

  NamedTasks(Scheduler worker) {
    this.worker = worker;
  }

  boolean stopped() {
    return stopped;
  }

  /** Schedules a task to run soon. */
  void trigger(String name, Supplier<Mono<Void>> task) {
    synchronized (this) {
      if (stopped || running.put(name, running.containsKey(name)) != null) {
        return;
      }
    }
    run(name, task);
  }

  private void run(String name, Supplier<Mono<Void>> task) {
    Mono.defer(task)
        .subscribeOn(worker)
        .onErrorResume(e -> failed(name, task, e))
        .doFinally(end -> ended(name, task))
        .subscribe();
  }

  private Mono<Void> failed(String name, Supplier<Mono<Void>> task, Throwable e) {
    boolean over =
        KvError.is(e, DocumentErrorCode.COLLECTION_NOT_FOUND)
            || KvError.is(e, KvErrorCode.CLOSED)
            || e instanceof IndexWork.Stale;
    if (!over) {
      LOG.warn("{} failed; retried in {} s", name, AGAIN_SECONDS, e);
      var unused = worker.schedule(() -> trigger(name, task), AGAIN_SECONDS, TimeUnit.SECONDS);
    }
    return Mono.empty();
  }

  private void ended(String name, Supplier<Mono<Void>> task) {
    synchronized (this) {
      boolean again = Boolean.TRUE.equals(running.remove(name));
      if (stopped) {
        emitEnded();
        return;
      }
      if (!again) {
        return;
      }
      running.put(name, false);
    }
    run(name, task);
  }

  private void emitEnded() {
    if (running.isEmpty()) {
      var unused = ended.tryEmitEmpty();
    }
  }

  /** Prevents further tasks from starting, and completes when none is running. */
  synchronized Mono<Void> stop() {
    stopped = true;
    emitEnded();
    return ended.asMono();
  }
}
