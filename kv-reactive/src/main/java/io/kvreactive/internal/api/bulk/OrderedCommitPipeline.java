package io.kvreactive.internal.api.bulk;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.MutationSize;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * The commits of one load. Several are in progress at a time, and are answered in order. If a
 * commit fails with OVERLOADED, this commit and all after it are repeated in order after a pause,
 * even those that succeeded. So of several records of one key, the last one wins.
 */
final class OrderedCommitPipeline {
  private final KvEngine engine;
  private final long begin = System.nanoTime();
  private final Queue<Pending> added = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();
  private final Disposable.Swap timer = Disposables.swap();
  private volatile boolean ended;

  // touched only by the thread that raises work from zero
  private final Deque<Pending> pending = new ArrayDeque<>();
  private long entries;
  private long bytes;
  private long pauseMillis = BulkLoader.FIRST_PAUSE.toMillis();
  private volatile boolean paused;

  /**
   * A batch of changes, or the failure of the source.
   *
   * @param changes the changes to commit
   * @param bytes the size of their keys and values
   * @param failure the error that ended the records, or null for a batch of changes
   */
  record Batch(List<Mutation> changes, long bytes, @Nullable Throwable failure) {
    static Batch of(List<Mutation> changes) {
      long bytes = 0;
      for (Mutation change : changes) {
        bytes += MutationSize.bytes(change) - MutationSize.keyBytes(change); // counts each key once
      }
      return new Batch(changes, bytes, null);
    }

    static Batch failed(Throwable failure) {
      return new Batch(List.of(), 0, failure);
    }
  }

  /** The progress up to a batch, or the failure that ended the load. */
  record Outcome(@Nullable LoadProgress progress, @Nullable Throwable failure) {
    void emit(SynchronousSink<LoadProgress> sink) {
      if (failure != null) {
        sink.error(failure);
      } else if (progress != null) {
        sink.next(progress);
      }
    }
  }

  private static final class Pending {
    final Batch batch;
    final MonoSink<Outcome> sink;
    final Disposable.Swap commit = Disposables.swap();
    boolean sent;
    volatile @Nullable Versionstamp stamp;
    volatile @Nullable Throwable failure;

    Pending(Batch batch, MonoSink<Outcome> sink) {
      this.batch = batch;
      this.sink = sink;
      this.failure = batch.failure;
      this.sent = batch.failure != null;
    }

    boolean answered() {
      return stamp != null || failure != null;
    }

    boolean refused() {
      Throwable reason = failure;
      return reason != null && batch.failure == null && BulkLoader.isOverload(reason);
    }
  }

  OrderedCommitPipeline(KvEngine engine) {
    this.engine = engine;
  }

  /**
   * Emits the outcome when this batch and those before it are durable, or one of them has failed.
   */
  Mono<Outcome> commit(Batch batch) {
    return Mono.create(
        sink -> {
          Pending next = new Pending(batch, sink);
          sink.onDispose(next.commit);
          added.add(next);
          drain();
        });
  }

  /** Stops the load. */
  void cancel() {
    ended = true;
    timer.dispose();
  }

  private void drain() {
    if (work.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      step();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() {
    Pending next;
    while ((next = added.poll()) != null) {
      pending.add(next);
    }
    while ((next = pending.peek()) != null && next.answered() && !next.refused()) {
      pending.remove();
      answer(next);
    }
    if (pending.stream().anyMatch(Pending::refused)) {
      pauseWhenQuiet();
    } else if (!paused) {
      send();
    }
  }

  private void answer(Pending done) {
    Versionstamp stamp = done.stamp;
    Throwable failure = done.failure;
    if (stamp != null) {
      pauseMillis = BulkLoader.FIRST_PAUSE.toMillis();
      entries += done.batch.changes.size();
      bytes += done.batch.bytes;
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
      done.sink.success(new Outcome(new LoadProgress(entries, bytes, stamp, elapsed), null));
    } else {
      ended = true;
      done.sink.success(new Outcome(null, located(failure)));
    }
  }

  private @Nullable Throwable located(@Nullable Throwable failure) {
    return failure instanceof KvException e
        ? new KvException(e.code(), e.detail() + "; records stored: " + entries, e)
        : failure;
  }

  private void send() {
    for (Pending next : pending) {
      if (!next.sent && !ended) {
        next.sent = true;
        next.commit.update(
            engine
                .commit(new Commit(List.of(), next.batch.changes))
                .subscribe(result -> answered(next, result), failure -> failed(next, failure)));
        if (next.refused()) {
          return;
        }
      }
    }
  }

  private void answered(Pending sent, CommitResult result) {
    sent.stamp = result.versionstamp();
    drain();
  }

  private void failed(Pending sent, Throwable failure) {
    sent.failure = failure;
    drain();
  }

  /**
   * Schedules the repetition after all commits in progress have been answered, so that none
   * overtakes a repeated one.
   */
  private void pauseWhenQuiet() {
    if (pending.stream().anyMatch(sent -> sent.sent && !sent.answered())) {
      return;
    }
    boolean behind = false;
    for (Pending sent : pending) {
      behind |= sent.refused();
      if (behind && sent.batch.failure == null) {
        sent.sent = false;
        sent.stamp = null;
        sent.failure = null;
      }
    }
    paused = true;
    timer.update(Schedulers.parallel().schedule(this::resume, pauseMillis, TimeUnit.MILLISECONDS));
    pauseMillis = Math.min(2 * pauseMillis, BulkLoader.LONGEST_PAUSE.toMillis());
  }

  private void resume() {
    paused = false;
    drain();
  }
}
