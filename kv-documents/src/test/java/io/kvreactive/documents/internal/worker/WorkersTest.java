package io.kvreactive.documents.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

class WorkersTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int CORES = Math.max(2, Runtime.getRuntime().availableProcessors());

  private final Workers workers = new Workers(new DocumentThreads.Limits(CORES + 3, CORES + 1));
  private final Workers.Share share = workers.share();
  private final AtomicBoolean stop = new AtomicBoolean();

  @AfterEach
  void end() {
    stop.set(true);
    workers.close();
  }

  /** Runs until the job is cancelled or the test stops it. */
  private CompletableFuture<Void> endless(QueryJob job, AtomicLong steps) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    job.scheduler()
        .schedule(
            () -> {
              try {
                while (!stop.get()) {
                  steps.incrementAndGet();
                  WorkerThread.checkpoint();
                }
                ended.complete(null);
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    return ended;
  }

  private CompletableFuture<Void> endless(QueryJob job) {
    return endless(job, new AtomicLong());
  }

  private static void awaitTask(Scheduler scheduler) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    scheduler.schedule(done::countDown);
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void runsNewWorkBesideEndlessQueriesOfAllKinds() throws Exception {
    for (int i = 0; i < CORES + 1; i++) {
      endless(share.query("a", LONG, Context.empty()));
    }
    for (int i = 0; i < 20; i++) {
      awaitTask(share.query("a", LONG, Context.empty()).scheduler());
      awaitTask(share.query("b", LONG, Context.empty()).scheduler());
      awaitTask(workers.share().query(null, LONG, Context.empty()).scheduler());
      awaitTask(share.items());
      awaitTask(share.background());
    }
  }

  @Test
  void sharesWorkersFairlyBetweenDatabasesAndCallers() throws Exception {
    List<AtomicLong> steps = new ArrayList<>();
    for (int i = 0; i < CORES + 1; i++) {
      steps.add(new AtomicLong());
      endless(share.query("many", LONG, Context.empty()), steps.get(i));
    }
    AtomicLong other = new AtomicLong();
    endless(workers.share().query("one", LONG, Context.empty()), other);
    // the other database gets as many turns as all queries of the first database together
    while (other.get() < 50_000) {
      Thread.onSpinWait();
    }
    for (AtomicLong each : steps) {
      while (each.get() < 1_000) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void servesWaitingTasksByDatabaseAndThenByCaller() throws Exception {
    WorkerPool pool = new WorkerPool("test", 1, 2_000_000, soon -> {});
    WorkerPool.Database one = pool.database();
    WorkerPool.Database other = pool.database();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(8);
    run(
        pool,
        one.lane(),
        () -> {
          try {
            blocked.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    for (String name : List.of("a1", "a2", "a3", "a4", "b1", "b2")) {
      run(pool, one.lane(name.substring(0, 1)), () -> add(order, "one-" + name, done));
    }
    for (String name : List.of("a1", "a2")) {
      run(pool, other.lane("a"), () -> add(order, "other-" + name, done));
    }
    blocked.countDown();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(order)
        .containsExactly(
            "one-a1", "other-a1", "one-b1", "other-a2", "one-a2", "one-b2", "one-a3", "one-a4");
    pool.close();
  }

  private static void run(WorkerPool pool, WorkerPool.Lane lane, Runnable work) {
    pool.execute(new Task(lane, null, work));
  }

  private static void add(List<String> order, String name, CountDownLatch done) {
    order.add(name);
    done.countDown();
  }

  @Test
  void runsEachTaskOnceDespiteYields() throws Exception {
    int tasks = 5_000;
    CountDownLatch done = new CountDownLatch(tasks);
    AtomicLong work = new AtomicLong();
    List<QueryJob> jobs = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      jobs.add(
          (i % 2 == 0 ? share : workers.share()).query("caller" + i % 7, LONG, Context.empty()));
    }
    for (int i = 0; i < tasks; i++) {
      int steps = i % 100 == 0 ? 300_000 : 10;
      jobs.get(i % jobs.size())
          .scheduler()
          .schedule(
              () -> {
                try {
                  for (int step = 0; step < steps; step++) {
                    WorkerThread.checkpoint();
                  }
                } catch (KvException e) {
                  assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED);
                }
                work.incrementAndGet();
                done.countDown();
              });
    }
    assertThat(done.await(120, TimeUnit.SECONDS)).as("%s", work).isTrue();
    assertThat(work).hasValue(tasks);
  }

  @Test
  void runsOtherWorkBesideLongCalls() throws Exception {
    CountDownLatch begun = new CountDownLatch(CORES);
    AtomicInteger running = new AtomicInteger();
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 3 * CORES; i++) {
      CompletableFuture<Integer> call = new CompletableFuture<>();
      calls.add(call);
      share
          .query("a", LONG, Context.empty())
          .scheduler()
          .schedule(
              () ->
                  call.complete(
                      WorkerThread.longCall(
                          () -> {
                            int together = running.incrementAndGet();
                            begun.countDown();
                            while (!stop.get()) {
                              Thread.onSpinWait();
                            }
                            running.decrementAndGet();
                            return together;
                          })));
    }
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 20; i++) {
      awaitTask(share.query("a", LONG, Context.empty()).scheduler());
      awaitTask(share.query("b", LONG, Context.empty()).scheduler());
    }
    stop.set(true);
    for (CompletableFuture<Integer> call : calls) {
      assertThat(call.get(30, TimeUnit.SECONDS)).isLessThanOrEqualTo(CORES);
    }
  }

  @Test
  void returnsOrThrowsTheResultOfALongCallDespiteYields() throws Exception {
    List<CompletableFuture<Integer>> results = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int number = i;
      results.add(new CompletableFuture<>());
      share
          .query("" + i % 7, LONG, Context.empty())
          .scheduler()
          .schedule(
              () -> {
                int sum = 0;
                for (int step = 0; step < 50; step++) {
                  WorkerThread.checkpoint();
                  sum += WorkerThread.longCall(() -> 1);
                }
                int all = sum;
                try {
                  WorkerThread.longCall(
                      () -> {
                        throw new IllegalStateException("" + (number + all));
                      });
                } catch (IllegalStateException e) {
                  results.get(number).complete(Integer.parseInt(e.getMessage()));
                }
              });
    }
    for (int i = 0; i < results.size(); i++) {
      assertThat(results.get(i).get(30, TimeUnit.SECONDS)).isEqualTo(i + 50);
    }
  }

  @Test
  void endsAnOverdueLongCallAtItsCheckpoint() throws Exception {
    QueryJob job = share.query("a", Duration.ofMillis(100), Context.empty());
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    AtomicInteger turns = new AtomicInteger();
    job.scheduler()
        .schedule(
            () -> {
              try {
                int result =
                    WorkerThread.longCall(
                        () -> {
                          while (!stop.get()) {
                            share
                                .query("b", LONG, Context.empty())
                                .scheduler()
                                .schedule(turns::incrementAndGet);
                            WorkerThread.checkpoint();
                          }
                          return 0;
                        });
                ended.complete(result);
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    assertThat(turns.get()).isPositive();
    awaitTask(share.query("c", LONG, Context.empty()).scheduler());
  }

  @Test
  void countsTheTimeOfLongCalls() {
    QueryJob job = share.query("a", Duration.ofMillis(300), Context.empty());
    CompletableFuture<Void> ended = new CompletableFuture<>();
    job.scheduler()
        .schedule(
            () -> {
              try {
                while (!stop.get()) {
                  WorkerThread.longCall(
                      () -> {
                        long end = System.nanoTime() + 20_000_000;
                        while (System.nanoTime() < end) {
                          Thread.onSpinWait();
                        }
                        return end;
                      });
                }
                ended.complete(null);
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
  }

  /** Waits for the value of a publisher on the worker of a job. */
  private static <T> CompletableFuture<T> waiting(QueryJob job, Mono<T> source) {
    CompletableFuture<T> ended = new CompletableFuture<>();
    job.scheduler()
        .schedule(
            () -> {
              try {
                ended.complete(WorkerThread.await(source));
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    return ended;
  }

  @Test
  void runsOtherWorkWhileThreadsWait() throws Exception {
    Sinks.One<Integer> value = Sinks.one();
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 4 * CORES; i++) {
      waiting.add(waiting(share.query("a", LONG, Context.empty()), value.asMono()));
    }
    awaitTask(share.query("b", LONG, Context.empty()).scheduler());
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    value.tryEmitValue(7).orThrow();
    for (CompletableFuture<Integer> each : waiting) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(7);
    }
    for (int i = 0; i < 4 * CORES; i++) { // the slots were given back once each
      awaitTask(share.query("b", LONG, Context.empty()).scheduler());
    }
  }

  @Test
  void givesNoMoreThreadsASlotAfterAWaitThanThereAreSlots() throws Exception {
    Sinks.One<Integer> value = Sinks.one();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 4 * CORES; i++) {
      QueryJob job = share.query("a", LONG, Context.empty());
      CompletableFuture<Integer> ended = new CompletableFuture<>();
      waiting.add(ended);
      job.scheduler()
          .schedule(
              () -> {
                int found = WorkerThread.await(value.asMono());
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                for (int step = 0; step < 1_000_000; step++) {
                  Thread.onSpinWait();
                }
                running.decrementAndGet();
                ended.complete(found);
              });
    }
    value.tryEmitValue(7).orThrow();
    for (CompletableFuture<Integer> each : waiting) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(7);
    }
    assertThat(most.get()).isBetween(1, CORES);
  }

  @Test
  void continuesAfterAWaitBeforeWorkThatHasYielded() throws Exception {
    WorkerPool pool = new WorkerPool("test", 1, 200_000, work -> {});
    WorkerPool.Lane lane = pool.database().lane();
    Sinks.One<Integer> value = Sinks.one();
    CountDownLatch subscribed = new CountDownLatch(1);
    AtomicInteger turns = new AtomicInteger();
    CompletableFuture<Integer> turnsUntilTheEnd = new CompletableFuture<>();
    run(
        pool,
        lane,
        () -> {
          int before =
              WorkerThread.await(
                  value.asMono().doOnSubscribe(subscription -> subscribed.countDown()));
          turnsUntilTheEnd.complete(turns.get() - before);
        });
    awaitHere(subscribed);
    AtomicReference<Thread> runner = new AtomicReference<>();
    int busy = 40;
    CountDownLatch begun = new CountDownLatch(busy);
    for (int i = 0; i < busy; i++) {
      run(
          pool,
          lane,
          () -> {
            begun.countDown();
            while (!stop.get()) {
              if (runner.getAndSet(Thread.currentThread()) != Thread.currentThread()) {
                turns.incrementAndGet();
              }
              WorkerThread.checkpoint();
            }
          });
    }
    awaitHere(begun);
    value.tryEmitValue(turns.get()).orThrow();
    assertThat(turnsUntilTheEnd.get(30, TimeUnit.SECONDS)).isLessThan(busy / 2);
    stop.set(true);
    pool.close();
  }

  @Test
  void beginsTheWorkOfOtherDatabasesWhileTheReadsOfOneAllWait() throws Exception {
    int most = 128;
    Sinks.Many<Integer> values = Sinks.many().multicast().directBestEffort();
    CountDownLatch subscribed = new CountDownLatch(most);
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      waiting.add(
          waiting(
              share.query("a", LONG, Context.empty()),
              values.asFlux().next().doOnSubscribe(subscription -> subscribed.countDown())));
    }
    awaitHere(subscribed);
    Workers.Share other = workers.share();
    awaitTask(other.query("c", LONG, Context.empty()).scheduler());
    CompletableFuture<Integer> next =
        waiting(share.query("b", LONG, Context.empty()), Mono.just(8));
    awaitTask(other.query("c", LONG, Context.empty()).scheduler());
    assertThat(next).isNotDone();
    values.tryEmitNext(7).orThrow();
    for (CompletableFuture<Integer> each : waiting) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(7);
    }
    assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(8);
  }

  @Test
  void endsTheWaitOfACancelledQuery() {
    QueryJob job = share.query("a", LONG, Context.empty());
    CountDownLatch subscribed = new CountDownLatch(1);
    AtomicBoolean isCancelled = new AtomicBoolean();
    CompletableFuture<Object> ended =
        waiting(
            job,
            Mono.never()
                .doOnSubscribe(subscription -> subscribed.countDown())
                .doOnCancel(() -> isCancelled.set(true)));
    awaitHere(subscribed);
    job.cancel();
    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
    assertThat(isCancelled).isTrue();
  }

  @Test
  void throwsTheErrorOfWhatItWaitsFor() {
    KvException error = new KvException(KvErrorCode.IO_FAILED, "the disk");
    CompletableFuture<Object> ended =
        waiting(
            share.query("a", LONG, Context.empty()),
            Mono.delay(Duration.ofMillis(1)).then(Mono.error(error)));
    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS)).cause().isSameAs(error);
  }

  @Test
  void passesTheContextOfTheSubscriberToWhatAQueryWaitsFor() throws Exception {
    CompletableFuture<String> found =
        waiting(
            share.query("a", LONG, Context.of("trace", "7")),
            Mono.deferContextual(context -> Mono.just(context.get("trace"))));
    assertThat(found.get(30, TimeUnit.SECONDS)).isEqualTo("7");
  }

  @Test
  void stopsACancelledOrOverdueQuery() {
    QueryJob cancelled = share.query("a", LONG, Context.empty());
    CompletableFuture<Void> ended = endless(cancelled);
    cancelled.cancel();
    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);

    CompletableFuture<Void> spent =
        endless(share.query("a", Duration.ofMillis(100), Context.empty()));
    assertThatThrownBy(() -> spent.get(30, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
  }

  @Test
  void rejectsLongQueriesBeyondTheLimitsUntilOthersEnd() throws Exception {
    List<QueryJob> jobs = new ArrayList<>();
    List<CompletableFuture<Void>> begun = new ArrayList<>();
    for (int i = 0; i < CORES + 2; i++) { // one more than the maximum per caller
      jobs.add(share.query("a", LONG, Context.empty()));
      begun.add(endless(jobs.get(i)));
    }
    assertThatThrownBy(
            () -> CompletableFuture.anyOf(begun.toArray(CompletableFuture[]::new)).join())
        .cause()
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));
    assertThat(begun).filteredOn(CompletableFuture::isDone).hasSize(1);

    jobs.forEach(QueryJob::close);
    AtomicLong steps = new AtomicLong();
    CompletableFuture<Void> next = endless(share.query("a", LONG, Context.empty()), steps);
    awaitSteps(steps, next);
    assertThat(next).isNotDone();
  }

  private static void awaitSteps(AtomicLong steps, CompletableFuture<Void> work) {
    while (steps.get() < 50_000_000 && !work.isDone()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void runsATaskOnTheThreadOfTheTaskThatSubmitsIt() throws Exception {
    WorkerPool pool = new WorkerPool("test", 2, 2_000_000, soon -> {});
    WorkerPool.Lane lane = pool.database().lane();
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch done = new CountDownLatch(1);
    run(pool, lane, () -> chain(pool, lane, threads, done));
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(threads).hasSize(100).containsOnly(threads.get(0));
    pool.close();
  }

  private static void chain(
      WorkerPool pool, WorkerPool.Lane lane, List<Thread> threads, CountDownLatch done) {
    threads.add(Thread.currentThread());
    if (threads.size() == 100) {
      done.countDown();
    } else {
      run(pool, lane, () -> chain(pool, lane, threads, done));
    }
  }

  @Test
  void startsATaskOnAnotherThreadIfTheSubmitterSubmitsMore() throws Exception {
    WorkerPool pool = new WorkerPool("test", 2, 2_000_000, soon -> {});
    WorkerPool.Lane lane = pool.database().lane();
    CountDownLatch first = new CountDownLatch(1);
    CompletableFuture<Thread> submitter = new CompletableFuture<>();
    CompletableFuture<Thread> second = new CompletableFuture<>();
    run(
        pool,
        lane,
        () -> {
          run(pool, lane, first::countDown);
          run(pool, lane, () -> second.complete(Thread.currentThread()));
          awaitHere(first); // the timer starts nothing
          submitter.complete(Thread.currentThread());
        });
    assertThat(second.get(30, TimeUnit.SECONDS)).isSameAs(submitter.get(30, TimeUnit.SECONDS));
    pool.close();
  }

  @Test
  void startsATaskOnAnotherThreadIfTheSubmitterGoesOn() throws Exception {
    CountDownLatch inner = new CountDownLatch(1);
    CountDownLatch outer = new CountDownLatch(1);
    Scheduler scheduler = share.query("a", LONG, Context.empty()).scheduler();
    scheduler.schedule(
        () -> {
          scheduler.schedule(inner::countDown);
          awaitHere(inner); // no checkpoint: the timer starts the task
          outer.countDown();
        });
    assertThat(outer.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void startsATaskOnAnotherThreadAtACheckpointOfTheSubmitter() throws Exception {
    WorkerPool pool = new WorkerPool("test", 2, 2_000_000, soon -> {});
    WorkerPool.Lane lane = pool.database().lane();
    CountDownLatch inner = new CountDownLatch(1);
    CountDownLatch outer = new CountDownLatch(1);
    run(
        pool,
        lane,
        () -> {
          run(pool, lane, inner::countDown);
          while (inner.getCount() > 0) {
            WorkerThread.checkpoint();
          }
          outer.countDown();
        });
    assertThat(outer.await(30, TimeUnit.SECONDS)).isTrue();
    pool.close();
  }

  private static void awaitHere(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void stopsItsThreadsOnCloseAndStillRunsTasks() throws Exception {
    Workers own = new Workers(DocumentThreads.Limits.NONE);
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    own.share().items().schedule(() -> ran.complete(Thread.currentThread()));
    Thread thread = ran.get(30, TimeUnit.SECONDS);
    assertThat(thread.isDaemon()).isTrue();
    assertThat(thread.getName()).startsWith("kv-documents-items");
    own.close();
    thread.join(30_000);
    assertThat(thread.isAlive()).isFalse();
    awaitTask(own.share().items());
  }
}
