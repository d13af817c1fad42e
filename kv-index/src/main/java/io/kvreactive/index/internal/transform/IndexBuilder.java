package io.kvreactive.index.internal.transform;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionRecord;
import io.kvreactive.index.internal.store.CollectionRecord.Build;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Builds the indexes of a collection that are furthest behind, in one walk over the items. The walk
 * ends where the next builds stand; from there they are built together. While one batch is
 * committed, the next is prepared and the items after it are read.
 */
final class IndexBuilder {
  private final KvEngine engine;
  private final Scheduler worker;
  private final IndexWork work;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;
  private final List<Build> builds;
  private final long from;
  private final long bound;
  private final BuildBatch.Maker maker;
  private long last; // the last item that existed at the start

  private IndexBuilder(
      KvEngine engine,
      Scheduler worker,
      IndexWork work,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped,
      List<Build> builds,
      long from,
      long bound) {
    this.engine = engine;
    this.worker = worker;
    this.work = work;
    this.throttle = throttle;
    this.stopped = stopped;
    this.builds = builds;
    this.from = from;
    this.bound = bound;
    this.maker = new BuildBatch.Maker(work.metadata(), builds, engine.limits());
  }

  /**
   * Creates the builder of the builds that are furthest behind.
   *
   * @param work the index work, which has an open build
   */
  static IndexBuilder of(
      KvEngine engine,
      Scheduler worker,
      IndexWork work,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped) {
    long from = Long.MAX_VALUE;
    for (Build build : openBuilds(work)) {
      from = Math.min(from, cursor(work, build));
    }
    long bound = Long.MAX_VALUE;
    List<Build> first = new ArrayList<>();
    for (Build build : openBuilds(work)) {
      long cursor = cursor(work, build);
      if (cursor == from) {
        first.add(build);
      } else {
        bound = Math.min(bound, cursor);
      }
    }
    return new IndexBuilder(engine, worker, work, throttle, stopped, first, from, bound);
  }

  /** Returns the builds that have not failed. */
  static List<Build> openBuilds(IndexWork work) {
    return work.metadata().record().builds().stream()
        .filter(build -> build.error() == null)
        .toList();
  }

  private static long cursor(IndexWork work, Build build) {
    IndexWorkRecord.Job job = work.record().job(IndexWorkRecord.build(build.index()));
    return job == null ? 0 : job.cursor();
  }

  /** Completes when these builds are complete, have failed, or have caught up with others. */
  Mono<Void> run() {
    Mono<Void> steps =
        lastItem()
            .doOnNext(found -> last = found)
            .then(Mono.defer(this::begin))
            .thenMany(Flux.defer(this::pages))
            .publishOn(worker, 1)
            .concatMap(this::batches, 1)
            .publishOn(worker, 1) // so that one batch is prepared while another is committed
            .concatMapDelayError(this::commitInTurn, false, 0) // the commit in progress ends first
            .then();
    return FailedBuilds.marked(steps, work, builds);
  }

  /** Counts the items to walk. */
  private Mono<Void> begin() {
    boolean begun =
        builds.stream()
            .allMatch(build -> work.record().job(IndexWorkRecord.build(build.index())) != null);
    if (begun) {
      return Mono.empty();
    }
    return new ItemCount(engine, worker, work.metadata().keys(), throttle, stopped)
        .upTo(last)
        .flatMap(
            total -> {
              Map<String, IndexWorkRecord.Job> jobs = work.jobs();
              for (Build build : builds) {
                jobs.putIfAbsent(
                    IndexWorkRecord.build(build.index()), new IndexWorkRecord.Job(0, 0, total));
              }
              return work.commit(jobs, null, List.of(), List.of());
            });
  }

  /**
   * Emits the document id of the last item. Writers of later items know the indexes, so that later
   * items need no work. Without this end, a build beside many creates never finished.
   */
  private Mono<Long> lastItem() {
    CollectionKeys keys = work.metadata().keys();
    ReadRange newest = new ReadRange(keys.itemsStart(), keys.itemsEnd(), 1, true, true);
    return engine
        .read(List.of(newest), null)
        .map(
            read -> {
              List<StoredEntry> found = read.pages().get(0).entries();
              return found.isEmpty() ? 0L : keys.docIdOfItem(found.get(0).key());
            });
  }

  /** A run of items as read. */
  private record Page(long last, Versionstamp at, List<StoredEntry> entries, boolean end) {}

  /** Reads the items after a document id page by page, ahead of their processing. */
  private Flux<Page> pages() {
    return read(from)
        .expand(page -> page.end() || stopped.getAsBoolean() ? Mono.empty() : read(page.last()));
  }

  private Mono<Page> read(long cursor) {
    CollectionKeys keys = work.metadata().keys();
    ReadRange range =
        new ReadRange(
            keys.itemsFrom(cursor + 1),
            keys.itemsFrom(Math.max(cursor, Math.min(bound, last)) + 1),
            throttle.size(),
            false,
            false);
    return engine
        .read(List.of(range), null)
        .map(
            read -> {
              RangePage page = read.pages().get(0);
              List<StoredEntry> entries = page.entries();
              long last =
                  entries.isEmpty()
                      ? cursor
                      : keys.docIdOfItem(entries.get(entries.size() - 1).key());
              return new Page(last, read.snapshot(), entries, page.resumeAfter() == null);
            });
  }

  /** A batch and the time that its preparation took. */
  private record PreparedBatch(BuildBatch batch, long nanos) {}

  /** Makes the batches of a page; more than one if the page has too many entries. */
  private Flux<PreparedBatch> batches(Page page) {
    List<StoredEntry> all = page.entries();
    if (all.isEmpty()) {
      return Flux.just(
          new PreparedBatch(new BuildBatch(page.last(), 0, List.of(), null, page.end()), 0));
    }
    return Flux.generate(
        () -> 0,
        (done, sink) -> {
          long start = System.nanoTime();
          BuildBatch batch = maker.make(all.subList(done, all.size()), page.at(), page.end());
          sink.next(new PreparedBatch(batch, System.nanoTime() - start));
          int next = done + batch.items();
          if (next == all.size()) {
            sink.complete();
          }
          return next;
        });
  }

  /** Commits a batch, then pauses as the throttle demands. */
  private Mono<Void> commitInTurn(PreparedBatch prepared) {
    if (stopped.getAsBoolean()) {
      return Mono.empty();
    }
    return commit(prepared.batch(), prepared.nanos())
        .flatMap(pause -> pause.isZero() ? Mono.empty() : Mono.delay(pause, worker))
        .then();
  }

  private Mono<Duration> commit(BuildBatch batch, long making) {
    boolean complete = batch.end() && bound == Long.MAX_VALUE;
    long cursor = batch.end() && !complete ? bound : batch.last();
    Map<String, IndexWorkRecord.Job> jobs = work.jobs();
    for (Build build : builds) {
      jobs.computeIfPresent(
          IndexWorkRecord.build(build.index()),
          (name, job) -> new IndexWorkRecord.Job(cursor, job.done() + batch.items(), job.total()));
    }
    CollectionRecord definition = complete ? work.metadata().record().built(builds) : null;
    Map<String, IndexWorkRecord.Job> left =
        definition != null && definition.settled() ? Map.of() : jobs;
    return Mono.defer(
        () -> {
          long start = System.nanoTime();
          return work.commit(left, definition, batch.work(), batch.whole(), List.of())
              .then(
                  Mono.fromSupplier(
                      () ->
                          throttle.done(
                              batch.items(),
                              batch.keys(),
                              making,
                              making + System.nanoTime() - start)));
        });
  }
}
