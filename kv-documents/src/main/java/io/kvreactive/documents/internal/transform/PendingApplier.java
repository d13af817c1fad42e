package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvLimits;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Applies pending indexing to the indexes, in the order of document ids. Several processes may do
 * so at the same time: each commit checks what it was based on, so that only one of them succeeds.
 */
final class PendingApplier {
  private static final int MAX_BYTES = 8 << 20;
  private static final int CHECKS_PER_ITEM = 2;

  /** Delay before items changed concurrently are retried. */
  private static final Duration RETRY_DELAY = Duration.ofMillis(20);

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadata metadata;
  private final RangeJob job;
  private final BooleanSupplier stopped;
  private final IntFunction<Mono<Void>> done;
  private volatile boolean left;
  private volatile @Nullable Throwable failure;

  /**
   * Creates an applier.
   *
   * @param done the progress callback, given the number of further items; its result must complete
   *     before the next items are committed
   */
  PendingApplier(
      KvEngine engine,
      Scheduler worker,
      CollectionMetadata metadata,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped,
      IntFunction<Mono<Void>> done) {
    this.engine = engine;
    this.worker = worker;
    this.metadata = metadata;
    this.job = new RangeJob(engine, worker, throttle, stopped);
    this.stopped = stopped;
    this.done = done;
  }

  /** Returns the maximum number of items per commit. */
  static int maxItems(KvEngine engine) {
    KvLimits limits = engine.limits();
    int checked = (limits.maxChecks() - 1) / CHECKS_PER_ITEM;
    return Math.max(1, Math.min(checked, Math.min(limits.maxBatchSize(), 1000)));
  }

  /**
   * Completes when all pending items have been visited, or when stopped. Items that become pending
   * behind the cursor are left. Errors: {@link IndexWork.Stale} if the definition has changed;
   * DocumentException or KvException LIMIT_EXCEEDED, after all other items are done, if an item has
   * too many entries.
   */
  Mono<Void> run() {
    return pass()
        .repeatWhen(
            passes ->
                passes
                    .takeWhile(any -> left && !stopped.getAsBoolean())
                    .concatMap(any -> Mono.delay(RETRY_DELAY, worker)))
        .then();
  }

  private Mono<Void> pass() {
    CollectionKeys keys = metadata.keys();
    return Mono.defer(
        () -> {
          left = false;
          failure = null;
          ReadRange all = new ReadRange(keys.pendingStart(), keys.pendingEnd(), 1, false, false);
          return job.run(all, this::chunk)
              .then(
                  Mono.defer(
                      () -> {
                        Throwable failed = failure;
                        return failed == null ? Mono.empty() : Mono.error(failed);
                      }));
        });
  }

  /**
   * Prepares the first items, as many as fit into a commit. A read may leave some items out if
   * items are large.
   */
  private RangeJob.Chunk chunk(RangeJob.Page page) {
    List<ReadRange> items =
        page.entries().stream()
            .map(entry -> ReadRange.point(metadata.keys().item(docId(entry))))
            .toList();
    if (items.isEmpty()) {
      return new RangeJob.Chunk(0, 0, Mono.empty());
    }
    List<PendingChange> works = new ArrayList<>();
    int mutations = 0;
    long bytes = 0;
    int taken = 0;
    KvLimits limits = engine.limits();
    long maxBytes = Math.min(MAX_BYTES, limits.maxCommitKeyBytes());
    for (RangePage item : WorkerThread.await(engine.read(items, null)).pages()) {
      List<StoredEntry> found = item.entries();
      StoredEntry pending = page.entries().get(taken);
      try {
        PendingChange work =
            PendingChange.of(metadata, pending, found.isEmpty() ? null : found.get(0));
        mutations += work.mutations().size();
        bytes += work.bytes();
        if (!works.isEmpty() && (mutations > limits.maxMutations() || bytes > maxBytes)) {
          mutations -= work.mutations().size();
          break;
        }
        works.add(work);
      } catch (DocumentException e) {
        failure = e;
      }
      taken++;
    }
    Mono<Void> commit =
        works.isEmpty()
            ? Mono.empty()
            : Mono.defer(() -> commit(works)).then(Mono.defer(() -> done.apply(works.size())));
    return new RangeJob.Chunk(taken, mutations, commit);
  }

  private long docId(StoredEntry pending) {
    return metadata.keys().docIdOfPending(pending.key());
  }

  /**
   * Commits the changes without those of items that have changed since they were read. Error:
   * LIMIT_EXCEEDED if the changes of several items are too large.
   */
  private Mono<Void> commit(List<PendingChange> works) {
    List<Check> checks = new ArrayList<>();
    List<Mutation> mutations = new ArrayList<>();
    checks.add(new Check(metadata.recordKey(), metadata.versionstamp()));
    for (PendingChange work : works) {
      checks.add(work.pending());
      checks.add(work.item());
      mutations.addAll(work.mutations());
    }
    return engine
        .commit(new Commit(checks, mutations))
        .publishOn(worker)
        .flatMap(
            result -> {
              if (result.committed()) {
                return Mono.<Void>empty();
              }
              Set<Integer> failed = new HashSet<>(result.failedChecks());
              return failed.contains(0)
                  ? Mono.<Void>error(new IndexWork.Stale())
                  : retryLater(works, failed);
            })
        .onErrorResume(
            e -> works.size() == 1 && KvError.is(e, KvErrorCode.LIMIT_EXCEEDED),
            e -> inSteps(works.get(0), e));
  }

  private Mono<Void> retryLater(List<PendingChange> works, Set<Integer> failed) {
    left = true;
    List<PendingChange> same = new ArrayList<>();
    for (int i = 0; i < works.size(); i++) {
      int check = 1 + CHECKS_PER_ITEM * i;
      if (!failed.contains(check) && !failed.contains(check + 1)) {
        same.add(works.get(i));
      }
    }
    return same.isEmpty() ? Mono.empty() : commit(same);
  }

  /** Applies an item in two steps: its removals, and after another read its additions. */
  private Mono<Void> inSteps(PendingChange work, Throwable tooLarge) {
    PendingChange removal = work.removal();
    if (removal == null) {
      failure = tooLarge;
      return Mono.empty();
    }
    left = true;
    return commit(List.of(removal));
  }
}
