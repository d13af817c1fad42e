package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.Build;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Builds the indexes of a collection that are furthest behind, in one walk over the items. The walk
 * ends where the next builds stand; from there they are built together.
 */
final class IndexBuilder {
  private final KvEngine engine;
  private final IndexWork work;
  private final RangeJob job;
  private final CollectionKeys keys;
  private final long from;
  private final long bound; // where the next builds stand, or Long.MAX_VALUE
  private final List<Build> builds;
  private final List<String> names; // of their jobs
  private final BuildBatch.Maker maker;

  /**
   * Creates the builder of the builds that are furthest behind.
   *
   * @param work the index work, which has an open build
   */
  IndexBuilder(KvEngine engine, IndexWork work, RangeJob job) {
    this.engine = engine;
    this.work = work;
    this.job = job;
    this.keys = work.metadata().keys();
    List<Build> open = openBuilds(work);
    this.from = open.stream().mapToLong(this::cursor).min().orElseThrow();
    this.bound =
        open.stream()
            .mapToLong(this::cursor)
            .filter(cursor -> cursor > from)
            .min()
            .orElse(Long.MAX_VALUE);
    this.builds = open.stream().filter(build -> cursor(build) == from).toList();
    this.names = builds.stream().map(build -> IndexWorkRecord.build(build.index())).toList();
    this.maker = new BuildBatch.Maker(work.metadata(), builds, engine.limits());
  }

  /** Returns the builds that have not failed. */
  static List<Build> openBuilds(IndexWork work) {
    return work.metadata().record().builds().stream()
        .filter(build -> build.error() == null)
        .toList();
  }

  private long cursor(Build build) {
    IndexWorkRecord.Job begun = work.record().job(IndexWorkRecord.build(build.index()));
    return begun == null ? 0 : begun.cursor();
  }

  /** Completes when these builds are complete, have failed, or have caught up with others. */
  Mono<Void> run() {
    Mono<Void> steps =
        lastItem()
            .flatMap(
                last -> begin(last).then(Mono.defer(() -> job.run(itemsUpTo(last), this::chunk))));
    return FailedBuilds.marked(steps, work, builds);
  }

  /**
   * Emits the document id of the last item. Writers of later items know the indexes, so that later
   * items need no work. Without this end, a build beside many creates never finished.
   */
  private Mono<Long> lastItem() {
    ReadRange newest = new ReadRange(keys.itemsStart(), keys.itemsEnd(), 1, true, true);
    return engine
        .read(List.of(newest), null)
        .map(
            read -> {
              List<StoredEntry> found = read.pages().get(0).entries();
              return found.isEmpty() ? 0L : keys.docIdOfItem(found.get(0).key());
            });
  }

  /** Counts the items to walk. */
  private Mono<Void> begin(long last) {
    return work.hasBegun(names)
        ? Mono.empty()
        : job.count(keys::itemsFrom, last).flatMap(total -> work.begin(names, total));
  }

  private ReadRange itemsUpTo(long last) {
    byte[] end = keys.itemsFrom(Math.max(from, Math.min(bound, last)) + 1);
    return new ReadRange(keys.itemsFrom(from + 1), end, 1, false, false);
  }

  private RangeJob.Chunk chunk(RangeJob.Page page) {
    BuildBatch batch = maker.make(page.entries(), page.at());
    boolean isLast = page.isLast() && batch.items() == page.entries().size();
    return new RangeJob.Chunk(batch.items(), batch.keys(), Mono.defer(() -> commit(batch, isLast)));
  }

  private Mono<Void> commit(BuildBatch batch, boolean isLast) {
    boolean isComplete = isLast && bound == Long.MAX_VALUE;
    long reached = isLast && !isComplete ? bound : batch.last();
    long cursor = Math.max(cursor(builds.get(0)), reached); // an empty batch reaches no item
    CollectionRecord definition = isComplete ? work.metadata().record().built(builds) : null;
    return work.commit(
        work.advanced(names, cursor, batch.items(), definition),
        definition,
        batch.work(),
        batch.whole(),
        List.of());
  }
}
