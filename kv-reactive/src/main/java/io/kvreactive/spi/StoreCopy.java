package io.kvreactive.spi;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A copy of all entries of a store to another one, while the source is in use. The engines may be
 * of different kinds.
 *
 * <p>The source is scanned once, then its change feed is followed until the switch-over. Then the
 * rest of the feed is applied, and both stores are compared entry by entry. Without a change feed,
 * as over KV Connect, the source is scanned repeatedly instead, and only differences are written. A
 * copy that has ended early is started again with {@link Options#replace}: it writes what differs.
 *
 * <p>Copied are keys, values and times of expiry. Collections are copied with their indexes, since
 * both are entries. Versionstamps are those of the target. Messages of queues and commit ids are
 * not copied. The target must not be used before the copy is complete: commits of the source may
 * appear there in several steps.
 */
public final class StoreCopy {
  private static final byte[] START = KvRange.all().startBytes();
  private static final byte[] END = KvRange.all().endBytes();
  private static final int PAGE_ENTRIES = 1000;
  private static final int MAX_BATCH_BYTES = 512 << 10;
  private static final int CONCURRENT_COMMITS = 4;
  private static final int GROUPED_COMMITS = 32;
  private static final Duration GROUPING = Duration.ofMillis(10);
  private static final long BOOKMARK_MILLIS = 100;
  private static final Duration BETWEEN_SCANS = Duration.ofSeconds(1);

  /**
   * Options of a copy.
   *
   * @param replace true if the target may have entries: those that the source does not have are
   *     deleted, others are overwritten if they differ. Otherwise the target must be empty
   * @param switchOver completes when the source is no longer written; until then changes are
   *     followed. Its error ends the copy. {@code Mono.empty()} copies the state of now
   */
  public record Options(boolean replace, Mono<Void> switchOver) {
    /** Copies the state of now to an empty store. */
    public static final Options DEFAULT = new Options(false, Mono.empty());
  }

  /** The phases of a copy, in their order. */
  public enum Phase {
    /** Entries are compared and copied. */
    SCAN,
    /** Changes of the source are applied. */
    FOLLOW,
    /** Both stores are compared. */
    CHECK,
    /** Complete. */
    DONE
  }

  /**
   * The progress of a copy.
   *
   * @param entries entries of the source that the present scan or check has read; in phase DONE,
   *     those of the check
   * @param written entries set and deleted in the target
   * @param commits commits of the change feed that were applied
   * @param versionstamp the version of the source up to which the target has all changes
   * @param differences entries that the check found to be different
   * @param lateCommits commits to the source after {@code versionstamp}, other than removals of
   *     expired entries; known in phase DONE, and 0 without a change feed
   */
  public record Progress(
      Phase phase,
      long entries,
      long written,
      long commits,
      Versionstamp versionstamp,
      long differences,
      long lateCommits) {
    /** Returns true if the copy is complete and the check found both stores equal. */
    public boolean isEqual() {
      return phase == Phase.DONE && differences == 0;
    }
  }

  private record Page(List<StoredEntry> entries, byte[] start, byte[] end) {}

  private final KvEngine from;
  private final KvEngine to;
  private final boolean replace;
  private final Mono<Void> switchOver;
  private final boolean comparesExpiry;

  // signals of one subscription are serial
  private volatile boolean switched;
  private boolean finalScan; // the newest scan began after the switch-over
  private boolean fed; // changes were written to the target
  private boolean followed = true;
  private boolean empty; // the target was empty when the copy began
  private Phase phase = Phase.SCAN;
  private long entries;
  private long written;
  private long commits;
  private long differences;
  private long late;
  private Versionstamp applied = Versionstamp.ZERO;

  private StoreCopy(KvEngine from, KvEngine to, Options options) {
    this.from = from;
    this.to = to;
    this.replace = options.replace();
    this.switchOver = options.switchOver().doOnSuccess(done -> switched = true).cache();
    this.comparesExpiry = from.returnsExpiry() && to.returnsExpiry();
  }

  /**
   * Copies a store. Emits the progress after each page and each group of commits, finally in phase
   * DONE. Cancellation ends the copy after the commits under way; the target then has a part of the
   * entries. The subscriber closes the engines.
   *
   * <p>Errors: INVALID_ARGUMENT if the target has entries and must not; COMPACTED if the source
   * does not keep its changes for as long as the scan takes; LIMIT_EXCEEDED if an entry exceeds a
   * limit of the target; those of reads of the source and commits to the target.
   */
  public static Flux<Progress> run(KvEngine from, KvEngine to, Options options) {
    return Flux.defer(() -> new StoreCopy(from, to, options).run());
  }

  private Flux<Progress> run() {
    return Flux.concat(
        prepare(),
        scan(Phase.SCAN, null),
        Flux.concat(Flux.defer(this::follow), Flux.defer(this::checkAtSnapshot))
            .onErrorResume(failure -> isUnsupported(failure) ? withoutFeed() : Flux.error(failure)),
        complete());
  }

  private static boolean isUnsupported(Throwable failure) {
    return failure instanceof KvException known && known.code() == KvErrorCode.UNSUPPORTED;
  }

  private Progress progress() {
    return new Progress(phase, entries, written, commits, applied, differences, late);
  }

  /** Looks at the target, and at the version from which on changes are to be followed. */
  private Mono<Progress> prepare() {
    return to.read(List.of(new ReadRange(START, END, 1, false, true)), null)
        .doOnNext(
            found -> {
              empty = found.pages().get(0).entries().isEmpty();
              if (!empty && !replace) {
                throw new KvException(
                    KvErrorCode.INVALID_ARGUMENT,
                    "the target has entries (expected: an empty store, or a copy that replaces)");
              }
            })
        .then(newest())
        .map(
            version -> {
              applied = version;
              var unused = switchOver.subscribe(done -> {}, failure -> {});
              return progress();
            });
  }

  private Mono<Versionstamp> newest() {
    return from.read(List.of(new ReadRange(START, START, 1, false, true)), null)
        .map(ReadResult::snapshot);
  }

  // ---- scans

  private Flux<Progress> scan(Phase scanned, @Nullable Snapshot at) {
    return Flux.defer(
        () -> {
          phase = scanned;
          finalScan = switched;
          entries = 0;
          return pages(from, START, END, at)
              .concatMap(
                  page -> compare(page).doOnComplete(() -> entries += page.entries.size()), 1)
              .map(done -> progress());
        });
  }

  private static Flux<Page> pages(
      KvEngine engine, byte[] start, byte[] end, @Nullable Snapshot at) {
    int limit = Math.min(PAGE_ENTRIES, engine.limits().maxBatchSize());
    return Flux.defer(
        () -> {
          byte[][] from = {start};
          return engine
              .pages(new ReadRange(start, end, limit, false, false), at)
              .map(
                  page -> {
                    byte[] first = from[0];
                    byte[] last = page.resumeAfter();
                    from[0] = last == null ? end : Arrays.copyOf(last, last.length + 1);
                    return new Page(page.entries(), first, from[0]);
                  });
        });
  }

  /**
   * Compares a page of the source with the target, and makes the target equal except in a check.
   */
  private Flux<Boolean> compare(Page page) {
    Flux<Page> targetPages =
        empty && phase == Phase.SCAN
            ? Flux.just(new Page(List.of(), page.start, page.end))
            : pages(to, page.start, page.end, null);
    return targetPages
        .concatMap(
            other -> {
              List<Mutation> changes = difference(within(page.entries, other), other.entries);
              if (phase != Phase.CHECK) {
                return write(changes, CONCURRENT_COMMITS);
              }
              differences += changes.size();
              return Mono.empty();
            },
            1)
        .then(Mono.just(true))
        .flux();
  }

  private static List<StoredEntry> within(List<StoredEntry> entries, Page bounds) {
    return entries.stream()
        .filter(
            entry ->
                Arrays.compareUnsigned(entry.key(), bounds.start) >= 0
                    && Arrays.compareUnsigned(entry.key(), bounds.end) < 0)
        .toList();
  }

  /** Returns the changes that make the entries of the target those of the source. */
  private List<Mutation> difference(List<StoredEntry> source, List<StoredEntry> target) {
    List<Mutation> changes = new ArrayList<>();
    int s = 0;
    int t = 0;
    while (s < source.size() || t < target.size()) {
      int order =
          s == source.size()
              ? 1
              : t == target.size()
                  ? -1
                  : Arrays.compareUnsigned(source.get(s).key(), target.get(t).key());
      if (order < 0) {
        StoredEntry entry = source.get(s++);
        if (!hasExpired(entry)) {
          changes.add(set(entry));
        }
      } else if (order > 0) {
        StoredEntry entry = target.get(t++);
        if (!hasExpired(entry)) {
          changes.add(new Mutation.Delete(entry.key()));
        }
      } else {
        StoredEntry entry = source.get(s++);
        if (!isEqual(entry, target.get(t++))) {
          changes.add(set(entry));
        }
      }
    }
    return changes;
  }

  /** An entry that has expired since it was read may be absent from the other store already. */
  private boolean hasExpired(StoredEntry entry) {
    return entry.expireAt() != 0 && entry.expireAt() <= Math.max(from.now(), to.now());
  }

  private boolean isEqual(StoredEntry a, StoredEntry b) {
    return Objects.equals(a.value(), b.value())
        && (!comparesExpiry || a.expireAt() == b.expireAt());
  }

  private Mutation set(StoredEntry entry) {
    KvValue value = Objects.requireNonNull(entry.value(), "read with its value");
    return new Mutation.Set(entry.key(), value, entry.expireAt(), empty && phase == Phase.SCAN);
  }

  // ---- writes

  private Mono<Void> write(List<Mutation> mutations, int concurrency) {
    return Flux.fromIterable(batches(mutations))
        .flatMapSequential(
            batch -> to.commit(new Commit(List.of(), batch)).thenReturn(batch.size()), concurrency)
        .doOnNext(count -> written += count)
        .then();
  }

  /** Divides mutations into commits within the limits of the target. */
  private List<List<Mutation>> batches(List<Mutation> mutations) {
    KvLimits limits = to.limits();
    int most = Math.min(PAGE_ENTRIES, limits.maxMutations());
    int mostBytes = Math.min(MAX_BATCH_BYTES, limits.maxCommitBytes());
    List<List<Mutation>> batches = new ArrayList<>();
    List<Mutation> batch = new ArrayList<>();
    long bytes = 0;
    long keyBytes = 0;
    for (Mutation mutation : mutations) {
      int key = mutation.key().length;
      int value = mutation instanceof Mutation.Set set ? set.value().bytes().length : 0;
      if (!batch.isEmpty()
          && (batch.size() == most
              || bytes + 2L * key + value > mostBytes
              || keyBytes + key > limits.maxCommitKeyBytes())) {
        batches.add(batch);
        batch = new ArrayList<>();
        bytes = 0;
        keyBytes = 0;
      }
      batch.add(mutation);
      bytes += 2L * key + value;
      keyBytes += key;
    }
    if (!batch.isEmpty()) {
      batches.add(batch);
    }
    return batches;
  }

  // ---- changes

  /** Applies the changes of the source until the switch-over. Error: UNSUPPORTED. */
  private Flux<Progress> follow() {
    phase = Phase.FOLLOW;
    // the feed is cancelled before a failed switch-over fails the copy
    Flux<CommittedChanges> feed = changes(applied).takeUntilOther(switchOver.onErrorComplete());
    return Flux.concat(
        Mono.fromSupplier(this::progress),
        apply(feed),
        switchOver.thenMany(Flux.<Progress>empty()));
  }

  private Flux<CommittedChanges> changes(Versionstamp since) {
    return from.changes(new ChangesRequest(START, END, since, BOOKMARK_MILLIS, false));
  }

  private Flux<Progress> apply(Flux<CommittedChanges> feed) {
    return feed.bufferTimeout(GROUPED_COMMITS, GROUPING, true)
        .concatMap(
            group -> {
              fed = true;
              List<Mutation> mutations = new ArrayList<>();
              group.forEach(
                  commit -> commit.changes().forEach(change -> mutations.add(mutation(change))));
              return write(mutations, 1)
                  .then(
                      Mono.fromSupplier(
                          () -> {
                            commits += group.stream().filter(c -> !c.changes().isEmpty()).count();
                            applied = group.get(group.size() - 1).versionstamp();
                            return progress();
                          }));
            },
            1);
  }

  private static Mutation mutation(StoredChange change) {
    return switch (change.kind()) {
      case SET ->
          new Mutation.Set(
              change.key(), Objects.requireNonNull(change.value(), "a set"), change.expireAt());
      case DELETE, EXPIRE -> new Mutation.Delete(change.key());
      case DELETE_RANGE ->
          new Mutation.DeleteRange(change.key(), Objects.requireNonNull(change.end(), "a range"));
      case TOUCH -> new Mutation.Touch(change.key(), change.expireAt());
    };
  }

  /** Scans the source until a scan has begun after the switch-over, then compares the stores. */
  private Flux<Progress> withoutFeed() {
    followed = false;
    empty = false;
    return Flux.concat(
        finalScan && !fed ? Flux.empty() : scanAgain(), Flux.defer(() -> scan(Phase.CHECK, null)));
  }

  private Flux<Progress> scanAgain() {
    Mono<Void> pause = Mono.firstWithSignal(Mono.delay(BETWEEN_SCANS).then(), switchOver);
    return Flux.defer(
        () ->
            Flux.concat(
                newest().doOnNext(version -> applied = version).thenMany(scan(Phase.SCAN, null)),
                Flux.defer(() -> finalScan ? Flux.empty() : pause.thenMany(scanAgain()))));
  }

  // ---- the end

  private Flux<Progress> checkAtSnapshot() {
    return Flux.usingWhen(from.snapshot(), this::checkAt, held -> Mono.fromRunnable(held::close));
  }

  /** Applies the changes up to a snapshot of the source, and compares it with the target. */
  private Flux<Progress> checkAt(Snapshot held) {
    Versionstamp end = held.versionstamp();
    Flux<Progress> rest =
        applied.compareTo(end) >= 0
            ? Flux.empty()
            : apply(
                    changes(applied)
                        .takeUntil(commit -> commit.versionstamp().compareTo(end) >= 0)
                        .filter(commit -> commit.versionstamp().compareTo(end) <= 0))
                .concatWith(
                    Mono.fromSupplier(
                        () -> {
                          applied = end; // up to it there may be commits without changes
                          return progress();
                        }));
    return Flux.concat(rest, scan(Phase.CHECK, held));
  }

  private Mono<Progress> complete() {
    return Mono.defer(() -> followed ? newest().flatMap(this::lateCommits) : Mono.just(0L))
        .map(
            count -> {
              late = count;
              phase = Phase.DONE;
              return progress();
            });
  }

  private Mono<Long> lateCommits(Versionstamp newest) {
    if (newest.compareTo(applied) <= 0) {
      return Mono.just(0L);
    }
    return changes(applied)
        .takeUntil(commit -> commit.versionstamp().compareTo(newest) >= 0)
        .filter(
            commit ->
                commit.changes().stream()
                    .anyMatch(change -> change.kind() != StoredChange.Kind.EXPIRE))
        .count();
  }
}
