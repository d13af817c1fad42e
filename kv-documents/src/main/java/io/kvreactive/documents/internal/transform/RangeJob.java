package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Background work over a range of keys. The range is read page by page, and each page is prepared
 * in chunks, one for each commit. While a chunk is committed, the next is prepared and the entries
 * after it are read.
 *
 * <p>The throttle determines the maximum sizes of pages and chunks, and the pauses after commits. A
 * chunk that is too large for a commit is prepared again in halves. A job that is stopped completes
 * after the commit in progress.
 */
final class RangeJob {
  private static final int MIN_DELETES = 640;
  private static final int MAX_DELETES = 10_000;

  /**
   * Minimum number of ids to count at once. Counting a million keys at once would occupy one core
   * for half a second.
   */
  private static final long PART = 1 << 16;

  /** Cost of counting a key; measured: 0.5 µs. */
  private static final long COUNT_NANOS = 500;

  private final KvEngine engine;
  private final Scheduler worker;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;

  RangeJob(KvEngine engine, Scheduler worker, AdaptiveThrottle throttle, BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.throttle = throttle;
    this.stopped = stopped;
  }

  /** Creates a job that deletes keys, and may change two other keys in each commit. */
  static RangeJob ofDeletes(
      KvEngine engine, Scheduler worker, LongAdder traffic, BooleanSupplier stopped) {
    KvLimits limits = engine.limits();
    int most = Math.min(MAX_DELETES, Math.min(limits.maxBatchSize(), limits.maxMutations() - 2));
    return new RangeJob(engine, worker, new AdaptiveThrottle(traffic, MIN_DELETES, most), stopped);
  }

  /**
   * Some entries of the range.
   *
   * @param at the version at which they were read, if they are those of a range
   * @param isFirst true if no entries precede these
   * @param isLast true if no entries follow these
   */
  record Page(List<StoredEntry> entries, Versionstamp at, boolean isFirst, boolean isLast) {
    private Page first(int most) {
      int count = entries.size();
      return count <= most ? this : new Page(entries.subList(0, most), at, isFirst, false);
    }

    private Page after(int count) {
      return new Page(entries.subList(count, entries.size()), at, false, isLast);
    }

    /** Emits the first entries in two pages. */
    private Flux<Page> halves(int count) {
      int half = count / 2;
      boolean end = isLast && count == entries.size();
      return Flux.just(
          new Page(entries.subList(0, half), at, isFirst, false),
          new Page(entries.subList(half, count), at, false, end));
    }
  }

  /**
   * The work on the first entries of a page.
   *
   * @param entries the number of entries: at least 1, or 0 for an empty page
   * @param keys the number of keys that the commit changes
   * @param commit the commit, which follows those of the chunks before
   */
  record Chunk(int entries, int keys, Mono<Void> commit) {}

  /**
   * Works on all entries of a range, and completes at its end or when the job is stopped.
   *
   * @param prepare prepares a chunk of the first entries of a page; a range without entries has one
   *     empty page
   */
  Mono<Void> run(ReadRange range, Function<Page, Chunk> prepare) {
    return run(pages(range), prepare);
  }

  /** Works on entries that were read as one page. */
  Mono<Void> run(List<StoredEntry> entries, Function<Page, Chunk> prepare) {
    return run(Flux.just(new Page(entries, Versionstamp.ZERO, true, true)), prepare);
  }

  private Mono<Void> run(Flux<Page> pages, Function<Page, Chunk> prepare) {
    return pages
        .publishOn(worker, 1)
        .concatMap(page -> commits(page, prepare), 1)
        .onErrorResume(e -> Mono.just(Mono.error(e))) // in turn, after the commits before it
        .publishOn(worker, 1) // so that one chunk is prepared while another is committed
        .concatMap(commit -> stopped.getAsBoolean() ? Mono.empty() : commit, 0)
        .then();
  }

  /** Reads pages, ahead of their processing. */
  private Flux<Page> pages(ReadRange range) {
    return read(range)
        .expand(
            read -> {
              ReadRange rest = read.pages().get(0).rest(range);
              return rest == null || stopped.getAsBoolean() ? Mono.empty() : read(rest);
            })
        .index(
            (number, read) ->
                new Page(
                    read.pages().get(0).entries(),
                    read.snapshot(),
                    number == 0,
                    read.pages().get(0).isLast()));
  }

  private Mono<ReadResult> read(ReadRange range) {
    return Mono.defer(() -> engine.read(List.of(range.withLimit(throttle.size())), null));
  }

  /** Prepares the chunks of a page, and emits their commits. */
  private Flux<Mono<Void>> commits(Page page, Function<Page, Chunk> prepare) {
    return Flux.generate(
        () -> page,
        (left, sink) -> {
          long start = System.nanoTime();
          Page next = left.first(throttle.size()); // the page may be of a larger size
          Chunk chunk = prepare.apply(next);
          long preparation = System.nanoTime() - start;
          Page rest = left.after(chunk.entries());
          sink.next(
              commit(chunk, preparation)
                  .onErrorResume(
                      e -> throttle.isTooLarge(e, chunk.entries()),
                      e -> run(next.halves(chunk.entries()), prepare)));
          if (rest.entries().isEmpty()) {
            sink.complete();
          }
          return rest;
        });
  }

  /** Commits a chunk, then pauses as the throttle demands. */
  private Mono<Void> commit(Chunk chunk, long preparation) {
    return Mono.defer(
        () -> {
          long start = System.nanoTime();
          return chunk
              .commit()
              .then(
                  Mono.defer(
                      () -> {
                        long elapsed = preparation + System.nanoTime() - start;
                        return pause(
                            throttle.done(chunk.entries(), chunk.keys(), preparation, elapsed));
                      }));
        });
  }

  private Mono<Void> pause(Duration pause) {
    return pause.isZero() ? Mono.empty() : Mono.delay(pause, worker).then();
  }

  /** The commits of {@link #delete}. */
  interface Deletion {
    /**
     * Commits deletions.
     *
     * @param deletes the deletions, to which others may be added
     * @param isLast true if these are the last keys of the range
     */
    Mono<Void> commit(List<Mutation> deletes, boolean isLast);
  }

  /**
   * Deletes all keys of a range, and completes when none are left or the job is stopped. The range
   * is walked until the first page of a walk is its last one, because keys may be added behind a
   * walk. A walk does not begin again after a page, as it would pass over the deleted keys.
   */
  Mono<Void> delete(ReadRange range, Deletion deletion) {
    AtomicBoolean isDone = new AtomicBoolean();
    return run(
            range,
            page -> {
              List<Mutation> deletes = new ArrayList<>();
              page.entries().forEach(entry -> deletes.add(new Mutation.Delete(entry.key())));
              int count = deletes.size();
              boolean isLast = page.isFirst() && page.isLast();
              Mono<Void> commit = Mono.defer(() -> deletion.commit(deletes, isLast));
              return new Chunk(count, count, commit.doOnSuccess(done -> isDone.set(isLast)));
            })
        .repeat(() -> !isDone.get() && !stopped.getAsBoolean())
        .then();
  }

  /**
   * The progress of a count.
   *
   * @param next the first id that is not counted yet
   * @param step the number of ids to count next
   */
  private record Counted(long next, long step, long keys) {}

  /**
   * Emits the number of keys with ids from 1 to a last one. Completes empty if the job is stopped.
   *
   * @param from the function from an id to the start of the keys from that id on
   */
  Mono<Long> count(LongFunction<byte[]> from, long last) {
    return Mono.just(new Counted(1, PART, 0))
        .expand(
            counted ->
                counted.next() > last || stopped.getAsBoolean()
                    ? Mono.empty()
                    : countMore(counted, from, last))
        .last()
        .filter(counted -> counted.next() > last)
        .map(Counted::keys);
  }

  private Mono<Counted> countMore(Counted before, LongFunction<byte[]> from, long last) {
    long next = before.next() + Math.min(before.step(), last - before.next() + 1);
    return engine
        .count(from.apply(before.next()), from.apply(next))
        .flatMap(
            found ->
                pause(throttle.read(found * COUNT_NANOS))
                    .thenReturn(
                        new Counted(next, step(before.step(), found), before.keys() + found)));
  }

  /** Returns the next step, which is larger where keys are sparse. */
  private static long step(long step, long found) {
    long more = Math.min(step * 4, Long.MAX_VALUE / 8);
    return found == 0 ? more : Math.max(PART, Math.min(more, step / found * PART));
  }
}
