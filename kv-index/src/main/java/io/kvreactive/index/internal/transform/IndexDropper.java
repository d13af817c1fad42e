package io.kvreactive.index.internal.transform;

import io.kvreactive.index.internal.store.CollectionRecord;
import io.kvreactive.index.internal.store.CollectionRecord.Drop;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Removes the remaining entries of a dropped index. */
final class IndexDropper {
  private final KvEngine engine;
  private final Scheduler worker;
  private final String root;
  private final IndexWork work;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;
  private final Drop drop;
  private byte @Nullable [] after; // the end of the keys that this walk has removed

  /**
   * Creates the dropper of the first pending drop.
   *
   * @param work the index work, which has a drop
   */
  IndexDropper(
      KvEngine engine,
      Scheduler worker,
      String root,
      IndexWork work,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.root = root;
    this.work = work;
    this.throttle = throttle;
    this.stopped = stopped;
    this.drop = work.metadata().record().drops().get(0);
  }

  /** Completes when no entries are left. */
  Mono<Void> run() {
    return begin().then(Mono.defer(this::chunk)).expand(end -> next(end)).then();
  }

  private Mono<Void> begin() {
    if (work.record().job(IndexWorkRecord.drop(drop)) != null) {
      return Mono.empty();
    }
    ReadRange all = range(1);
    return engine
        .count(all.start(), all.end())
        .flatMap(
            total -> {
              Map<String, IndexWorkRecord.Job> jobs = work.jobs();
              jobs.put(IndexWorkRecord.drop(drop), new IndexWorkRecord.Job(0, 0, total));
              return work.commit(jobs, null, List.of(), List.of());
            });
  }

  private ReadRange range(int limit) {
    return IndexSpaces.of(drop, root, work.metadata().record(), limit);
  }

  private Mono<Boolean> next(boolean end) {
    return end || stopped.getAsBoolean() ? Mono.empty() : chunk();
  }

  /**
   * Removes some keys, fewer if they do not fit into a commit. Emits true if these were all keys.
   */
  private Mono<Boolean> chunk() {
    return Mono.defer(this::remove).onErrorResume(throttle::isTooLarge, e -> chunk());
  }

  /** Removes some keys and emits true when a walk from the start finds no more keys. */
  private Mono<Boolean> remove() {
    boolean fromStart = after == null;
    return engine
        .read(List.of(IndexSpaces.after(after, range(throttle.size()))), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              RangePage page = read.pages().get(0);
              boolean end = page.resumeAfter() == null && fromStart;
              List<Mutation> deletes = new ArrayList<>();
              page.entries().forEach(entry -> deletes.add(new Mutation.Delete(entry.key())));
              int count = deletes.size();
              long begun = System.nanoTime();
              return commit(deletes, end)
                  .then(
                      Mono.defer(
                          () -> {
                            after = page.resumeAfter();
                            return pause(throttle.done(count, count, 0, System.nanoTime() - begun));
                          }))
                  .thenReturn(end);
            });
  }

  private Mono<Long> pause(Duration pause) {
    return pause.isZero() ? Mono.empty() : Mono.delay(pause, worker);
  }

  private Mono<Void> commit(List<Mutation> deletes, boolean end) {
    Map<String, IndexWorkRecord.Job> jobs = work.jobs();
    jobs.computeIfPresent(
        IndexWorkRecord.drop(drop),
        (name, job) -> new IndexWorkRecord.Job(0, job.done() + deletes.size(), job.total()));
    if (!end) {
      return work.commit(jobs, null, List.of(), deletes);
    }
    CollectionRecord record = work.metadata().record();
    List<Drop> left = new ArrayList<>(record.drops());
    left.remove(drop);
    CollectionRecord without = record.with(record.bases(), record.builds(), left);
    return work.commit(without.settled() ? Map.of() : jobs, without, List.of(), deletes);
  }
}
