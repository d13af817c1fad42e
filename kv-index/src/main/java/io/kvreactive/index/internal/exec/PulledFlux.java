package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.worker.QueryJob;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * A {@link Flux} that pulls elements on demand and never ahead of demand. Pulls do not overlap, and
 * signals are emitted on the scheduler of the job. Cancelling ends the current pull. Each
 * subscription has a separate job, which is closed with the subscription.
 */
final class PulledFlux<E> extends Flux<E> {
  /** The source of the elements of one subscription. */
  interface Puller<E> {
    /** Emits at most {@code wanted} elements; may emit an empty list before the end. */
    Mono<List<E>> next(int wanted);

    boolean done();

    /** Makes the current pull end soon. Thread-safe; may be called at any time. */
    void cancel();

    /** Releases resources. Called once, after the last pull. */
    void close();
  }

  private static final int MAX_BATCH = 1024;

  private final Supplier<QueryJob> jobs;
  private final Function<QueryJob, Puller<E>> pullers;

  PulledFlux(Supplier<QueryJob> jobs, Function<QueryJob, Puller<E>> pullers) {
    this.jobs = jobs;
    this.pullers = pullers;
  }

  @Override
  public void subscribe(CoreSubscriber<? super E> actual) {
    actual.onSubscribe(new Pulling<>(actual, jobs.get(), pullers));
  }

  /**
   * A subscription. The thread that raises {@link #work} from zero runs the tasks, one at a time.
   */
  private static final class Pulling<E> implements Subscription {
    private final CoreSubscriber<? super E> actual;
    private final QueryJob job;
    private final Function<QueryJob, Puller<E>> pullers;
    private final Scheduler scheduler;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger work = new AtomicInteger();
    private final Disposable.Swap pull = Disposables.swap();
    private final Queue<List<E>> arrived = new ConcurrentLinkedQueue<>();
    private volatile boolean cancelled;
    private volatile boolean pulling;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Puller<E> puller; // set by the first demand

    // accessed only inside of a task
    private final ArrayDeque<E> ready = new ArrayDeque<>();
    private boolean ended;

    Pulling(CoreSubscriber<? super E> actual, QueryJob job, Function<QueryJob, Puller<E>> pullers) {
      this.actual = actual;
      this.job = job;
      this.pullers = pullers;
      this.scheduler = job.scheduler();
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        failure =
            new IllegalArgumentException(
                "request: " + n + " (expected: >= 1, Reactive Streams rule 3.9)");
      } else {
        demand.accumulateAndGet(n, Operators::addCap);
      }
      wake();
    }

    @Override
    public void cancel() {
      cancelled = true;
      job.cancel();
      pull.dispose();
      Puller<E> open = puller;
      if (open != null) {
        open.cancel();
      }
      wake();
    }

    private void wake() {
      if (work.getAndIncrement() == 0) {
        scheduler.schedule(this::run);
      }
    }

    private void run() {
      int seen = work.get();
      do {
        step();
        seen = work.addAndGet(-seen);
      } while (seen != 0);
    }

    private void step() {
      if (ended) {
        return;
      }
      if (cancelled) {
        end();
        return;
      }
      for (List<E> page = arrived.poll(); page != null; page = arrived.poll()) {
        ready.addAll(page);
      }
      emit();
      Throwable failed = failure;
      if (cancelled) {
        end();
      } else if (failed != null) {
        end();
        actual.onError(failed);
      } else if (!pulling && arrived.isEmpty()) {
        pull();
      }
    }

    private void emit() {
      long wanted = demand.get();
      long emitted = 0;
      while (emitted < wanted && !ready.isEmpty() && !cancelled) {
        actual.onNext(ready.poll());
        emitted++;
      }
      if (emitted > 0 && wanted != Long.MAX_VALUE) {
        demand.addAndGet(-emitted);
      }
    }

    private void pull() {
      Puller<E> open = puller;
      if (!ready.isEmpty()) {
        return;
      }
      if (open != null && open.done()) {
        end();
        actual.onComplete();
      } else if (demand.get() > 0) {
        pulling = true;
        int wanted = (int) Math.min(MAX_BATCH, demand.get());
        Mono<List<E>> next;
        List<E> there;
        try {
          next = puller().next(wanted);
          there = MonoFusion.value(next);
        } catch (Throwable e) {
          Exceptions.throwIfFatal(e);
          fail(Exceptions.unwrap(e));
          return;
        }
        if (there != null) {
          arrived.add(there);
          pulled();
        } else {
          pull.update(
              next.subscribe(arrived::add, this::fail, this::pulled, actual.currentContext()));
        }
      }
    }

    private Puller<E> puller() {
      Puller<E> open = puller;
      if (open == null) {
        open = pullers.apply(job);
        puller = open;
        if (cancelled) {
          open.cancel(); // the cancelling thread may not have seen the puller yet
        }
      }
      return open;
    }

    /** Emits the pulled elements. Called on the scheduler, where pulls end. */
    private void pulled() {
      pulling = false;
      if (work.getAndIncrement() == 0) {
        run();
      }
    }

    private void fail(Throwable error) {
      if (!(error instanceof CancellationException) || !cancelled) {
        failure = error;
      }
      pulling = false;
      wake();
    }

    private void end() {
      ended = true;
      pull.dispose();
      ready.clear();
      Puller<E> open = puller;
      if (open != null) {
        open.close();
      }
      job.close();
    }
  }
}
