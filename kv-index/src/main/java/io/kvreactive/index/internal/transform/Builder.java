package io.kvreactive.index.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.collection.Signals;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionRecord;
import io.kvreactive.index.internal.store.CollectionRecord.Build;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;

/**
 * Builds the indexes of a collection that are furthest behind, in one walk over the items, up to
 * where the next ones are: from there on they go together. While a batch is committed the next one
 * is made.
 */
final class Builder {
  private final KvEngine engine;
  private final Work work;
  private final Pace pace;
  private final BooleanSupplier stopped;
  private final List<Build> builds;
  private final long from;
  private final long bound;
  private final Batch.Maker maker;

  private Builder(
      KvEngine engine,
      Work work,
      Pace pace,
      BooleanSupplier stopped,
      List<Build> builds,
      long from,
      long bound) {
    this.engine = engine;
    this.work = work;
    this.pace = pace;
    this.stopped = stopped;
    this.builds = builds;
    this.from = from;
    this.bound = bound;
    this.maker = new Batch.Maker(work.view(), builds, engine.limits());
  }

  /**
   * @param work has a build that is open
   */
  static Builder of(KvEngine engine, Work work, Pace pace, BooleanSupplier stopped) {
    long from = Long.MAX_VALUE;
    for (Build build : open(work)) {
      from = Math.min(from, cursor(work, build));
    }
    long bound = Long.MAX_VALUE;
    List<Build> first = new ArrayList<>();
    for (Build build : open(work)) {
      long cursor = cursor(work, build);
      if (cursor == from) {
        first.add(build);
      } else {
        bound = Math.min(bound, cursor);
      }
    }
    return new Builder(engine, work, pace, stopped, first, from, bound);
  }

  /** The builds that have not failed. */
  static List<Build> open(Work work) {
    return work.view().record().builds().stream().filter(build -> build.error() == null).toList();
  }

  private static long cursor(Work work, Build build) {
    WorkRecord.Job job = work.record().job(WorkRecord.build(build.index()));
    return job == null ? 0 : job.cursor();
  }

  /** Completes when these builds are complete, have failed, or have caught up with others. */
  Mono<Void> run() {
    return begin()
        .then(Mono.defer(() -> prepare(from)))
        .expand(this::next)
        .then()
        .onErrorResume(IndexException.class, this::fail)
        .onErrorResume(
            KvException.class,
            e ->
                e.code() == KvErrorCode.LIMIT_EXCEEDED // the entries of one item
                    ? fail(new IndexException(IndexErrorCode.LIMIT_EXCEEDED, e.detail(), e))
                    : Mono.error(e));
  }

  /** Counts what is to be walked. */
  private Mono<Void> begin() {
    CollectionKeys keys = work.view().keys();
    boolean begun =
        builds.stream()
            .allMatch(build -> work.record().job(WorkRecord.build(build.index())) != null);
    if (begun) {
      return Mono.empty();
    }
    return engine
        .count(keys.itemsStart(), keys.itemsEnd())
        .flatMap(
            total -> {
              Map<String, WorkRecord.Job> jobs = work.jobs();
              for (Build build : builds) {
                jobs.putIfAbsent(WorkRecord.build(build.index()), new WorkRecord.Job(0, 0, total));
              }
              return work.commit(jobs, null, List.of(), List.of());
            });
  }

  private Mono<Batch> prepare(long cursor) {
    CollectionKeys keys = work.view().keys();
    ReadRange range =
        new ReadRange(
            keys.itemsFrom(cursor + 1),
            bound == Long.MAX_VALUE ? keys.itemsEnd() : keys.itemsFrom(bound + 1),
            pace.size(),
            false,
            false);
    return engine
        .read(List.of(range), null)
        .publishOn(Signals.worker())
        .map(
            read -> {
              RangePage page = read.pages().get(0);
              boolean end = page.resumeAfter() == null;
              return page.entries().isEmpty()
                  ? new Batch(cursor, 0, List.of(), end)
                  : maker.make(page.entries(), end);
            });
  }

  /** Commits a batch, and makes the next one meanwhile. */
  private Mono<Batch> next(Batch batch) {
    if (stopped.getAsBoolean()) {
      return Mono.empty();
    }
    Mono<Duration> commit = commit(batch);
    if (batch.end()) {
      return commit.then(Mono.empty());
    }
    return Mono.zip(commit, prepare(batch.last()))
        .flatMap(
            both ->
                both.getT1().isZero()
                    ? Mono.just(both.getT2())
                    : Mono.delay(both.getT1(), Signals.worker()).thenReturn(both.getT2()));
  }

  private Mono<Duration> commit(Batch batch) {
    boolean complete = batch.end() && bound == Long.MAX_VALUE;
    long cursor = batch.end() && !complete ? bound : batch.last();
    Map<String, WorkRecord.Job> jobs = work.jobs();
    for (Build build : builds) {
      jobs.computeIfPresent(
          WorkRecord.build(build.index()),
          (name, job) -> new WorkRecord.Job(cursor, job.done() + batch.items(), job.total()));
    }
    CollectionRecord definition = complete ? work.view().record().built(builds) : null;
    Map<String, WorkRecord.Job> left = definition != null && definition.settled() ? Map.of() : jobs;
    return Mono.defer(
        () -> {
          long start = System.nanoTime();
          return work.commit(left, definition, batch.work(), List.of())
              .then(Mono.fromSupplier(() -> pace.done(batch.items(), System.nanoTime() - start)));
        });
  }

  /** An item that an index cannot take keeps it from being complete. */
  private Mono<Void> fail(IndexException e) {
    CollectionRecord record = work.view().record();
    List<Build> failed = new ArrayList<>();
    for (Build build : record.builds()) {
      failed.add(
          builds.contains(build)
              ? new Build(
                  build.index(),
                  build.number(),
                  build.startedAt(),
                  Objects.requireNonNullElse(e.getMessage(), e.code().name()))
              : build);
    }
    return work.commit(
        WorkRecord.without(
            work.jobs(), builds.stream().map(build -> WorkRecord.build(build.index())).toList()),
        record.with(record.bases(), failed, record.drops()),
        List.of(),
        List.of());
  }
}
