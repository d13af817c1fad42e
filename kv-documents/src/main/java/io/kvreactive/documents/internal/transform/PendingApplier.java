package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionMetadata;
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
import reactor.core.publisher.Flux;
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
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;
  private final IntFunction<Mono<Void>> done;
  private boolean left;
  private @Nullable RuntimeException failure;

  /**
   * Creates an applier.
   *
   * @param done the progress callback, given the number of further items; its result must complete
   *     before the next items are processed
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
    this.throttle = throttle;
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
    return Mono.defer(
        () -> {
          left = false;
          failure = null;
          return from(1)
              .expand(next -> next < 0 || stopped.getAsBoolean() ? Mono.empty() : from(next))
              .then(Mono.defer(() -> failure == null ? Mono.empty() : Mono.error(failure)));
        });
  }

  /** Applies some items from a document id on, and emits the next document id, or -1 at the end. */
  private Mono<Long> from(long docId) {
    return engine
        .read(List.of(metadata.keys().pendingFrom(docId, throttle.size())), null)
        .flatMap(
            read -> {
              RangePage page = read.pages().get(0);
              List<StoredEntry> found = page.entries();
              if (found.isEmpty()) {
                return Mono.just(-1L);
              }
              return engine
                  .read(items(found), null)
                  .publishOn(worker)
                  .flatMap(items -> work(found, items.pages()))
                  .map(
                      done ->
                          done == found.size() && page.resumeAfter() == null
                              ? -1L
                              : docId(found.get(done - 1)) + 1);
            });
  }

  private long docId(StoredEntry pending) {
    return metadata.keys().docIdOfPending(pending.key());
  }

  private List<ReadRange> items(List<StoredEntry> found) {
    return found.stream()
        .map(entry -> ReadRange.point(metadata.keys().item(docId(entry))))
        .toList();
  }

  /**
   * Applies the items that were read, in commits within the limits, and emits their number. A read
   * may leave some items out if items are large.
   */
  private Mono<Integer> work(List<StoredEntry> found, List<RangePage> items) {
    long start = System.nanoTime();
    List<List<PendingChange>> commits = new ArrayList<>();
    List<PendingChange> open = new ArrayList<>();
    long mutations = 0;
    long bytes = 0;
    KvLimits limits = engine.limits();
    long maxBytes = Math.min(MAX_BYTES, limits.maxCommitKeyBytes());
    for (int i = 0; i < items.size(); i++) {
      List<StoredEntry> item = items.get(i).entries();
      PendingChange work;
      try {
        work = PendingChange.of(metadata, found.get(i), item.isEmpty() ? null : item.get(0));
      } catch (DocumentException e) {
        failure = e;
        continue;
      }
      boolean fits =
          mutations + work.mutations().size() <= limits.maxMutations()
              && bytes + work.bytes() <= maxBytes;
      if (!fits && !open.isEmpty()) {
        commits.add(open);
        open = new ArrayList<>();
        mutations = 0;
        bytes = 0;
      }
      open.add(work);
      mutations += work.mutations().size();
      bytes += work.bytes();
    }
    if (!open.isEmpty()) {
      commits.add(open);
    }
    long preparation = (System.nanoTime() - start) / Math.max(1, commits.size());
    return Flux.fromIterable(commits)
        .takeWhile(works -> !stopped.getAsBoolean())
        .concatMap(works -> paced(works, preparation), 1)
        .then(Mono.just(items.size()));
  }

  private Mono<Void> paced(List<PendingChange> works, long preparation) {
    return Mono.defer(
        () -> {
          long start = System.nanoTime();
          return commit(works)
              .then(Mono.defer(() -> done.apply(works.size())))
              .then(
                  Mono.defer(
                      () -> {
                        int keys = works.stream().mapToInt(work -> work.mutations().size()).sum();
                        long elapsed = preparation + System.nanoTime() - start;
                        Duration pause = throttle.done(works.size(), keys, preparation, elapsed);
                        return pause.isZero()
                            ? Mono.<Void>empty()
                            : Mono.delay(pause, worker).then();
                      }));
        });
  }

  /** Commits the changes without those of items that have changed since they were read. */
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
            KvException.class,
            e -> e.code() == KvErrorCode.LIMIT_EXCEEDED ? splitAndCommit(works, e) : Mono.error(e));
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

  /**
   * Splits a commit that is too large into halves. A single item is split into two steps: its
   * removals, and after another read its additions.
   */
  private Mono<Void> splitAndCommit(List<PendingChange> works, KvException e) {
    if (works.size() > 1) {
      int half = works.size() / 2;
      return commit(works.subList(0, half))
          .then(Mono.defer(() -> commit(works.subList(half, works.size()))));
    }
    PendingChange removal = works.get(0).removal();
    if (removal == null) {
      failure = e;
      return Mono.empty();
    }
    left = true;
    return commit(List.of(removal));
  }
}
