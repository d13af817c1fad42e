package io.kvreactive.documents.internal.transform;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.ItemCommit;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The state of background work on a collection, and the commits that advance it. Each commit checks
 * that the state is unchanged, so that effectively only one worker makes progress.
 */
final class IndexWork {
  /** Thrown if the definition has changed, or another process does the work. */
  static final class Stale extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stale() {
      super("another process has done the work, or the work has changed", null, false, false);
    }
  }

  private static final int FIXED_CHECKS = 2;

  private final KvEngine engine;
  private final String owner;
  private final CollectionMetadata metadata;
  private IndexWorkRecord record;
  private @Nullable Versionstamp at;

  private IndexWork(
      KvEngine engine,
      String owner,
      CollectionMetadata metadata,
      IndexWorkRecord record,
      @Nullable Versionstamp at) {
    this.engine = engine;
    this.owner = owner;
    this.metadata = metadata;
    this.record = record;
    this.at = at;
  }

  /** Emits the current state of the work. Error: COLLECTION_NOT_FOUND. */
  static Mono<IndexWork> read(
      KvEngine engine, String owner, CollectionMetadataCache metadataCache) {
    return metadataCache
        .refresh()
        .flatMap(
            seen ->
                engine
                    .read(
                        List.of(
                            ReadRange.point(metadataCache.recordKey()),
                            ReadRange.point(seen.keys().job())),
                        null)
                    .flatMap(
                        read -> {
                          CollectionMetadata metadata = metadataCache.of(read.pages().get(0));
                          if (metadata == null
                              || !metadata.record().id().equals(seen.record().id())) {
                            return read(engine, owner, metadataCache);
                          }
                          List<StoredEntry> found = read.pages().get(1).entries();
                          return Mono.just(
                              new IndexWork(
                                  engine,
                                  owner,
                                  metadata,
                                  record(found),
                                  found.isEmpty() ? null : found.get(0).versionstamp()));
                        }));
  }

  /** Returns the work record from a read of its key. */
  static IndexWorkRecord record(List<StoredEntry> found) {
    return found.isEmpty()
        ? IndexWorkRecord.NONE
        : IndexWorkRecord.decode(Objects.requireNonNull(found.get(0).value()).bytes());
  }

  /**
   * Returns the work record from a read of the collection's record and its work record, or null if
   * the collection does not exist.
   */
  static @Nullable IndexWorkRecord recordOf(ReadResult read) {
    return read.pages().get(0).entries().isEmpty() ? null : record(read.pages().get(1).entries());
  }

  CollectionMetadata metadata() {
    return metadata;
  }

  IndexWorkRecord record() {
    return record;
  }

  @Nullable Versionstamp at() {
    return at;
  }

  /** Returns true if another owner has worked within the given number of milliseconds. */
  boolean ownedByOthers(long freshMillis) {
    return !record.owner().isEmpty()
        && !record.owner().equals(owner)
        && engine.now() - record.beat() < freshMillis;
  }

  /** Returns a copy of the jobs, which the caller may change. */
  Map<String, IndexWorkRecord.Job> jobs() {
    return new LinkedHashMap<>(record.jobs());
  }

  /** Returns true if all of the named jobs have begun. */
  boolean hasBegun(List<String> names) {
    return record.jobs().keySet().containsAll(names);
  }

  /**
   * Begins those of the named jobs that have not begun. Error: {@link Stale}.
   *
   * @param total the number of their items or keys
   */
  Mono<Void> begin(List<String> names, long total) {
    Map<String, IndexWorkRecord.Job> jobs = jobs();
    names.forEach(name -> jobs.putIfAbsent(name, new IndexWorkRecord.Job(0, 0, total)));
    return commit(jobs, null, List.of(), List.of());
  }

  /**
   * Returns the jobs after some progress of the named ones; none if no work is left.
   *
   * @param cursor the cursor of the named jobs
   * @param count the number of further items or keys
   * @param definition the new collection record, or null to keep the current one
   */
  Map<String, IndexWorkRecord.Job> advanced(
      List<String> names, long cursor, int count, @Nullable CollectionRecord definition) {
    if (definition != null && definition.settled()) {
      return Map.of();
    }
    Map<String, IndexWorkRecord.Job> jobs = jobs();
    for (String name : names) {
      jobs.computeIfPresent(
          name, (same, job) -> new IndexWorkRecord.Job(cursor, job.done() + count, job.total()));
    }
    return jobs;
  }

  /**
   * Advances the work. Items changed concurrently are skipped, because their writers have done the
   * work. Error: {@link Stale}.
   *
   * @param jobs the progress of the jobs after this commit
   * @param definition the new collection record, or null to keep the current one
   */
  Mono<Void> commit(
      Map<String, IndexWorkRecord.Job> jobs,
      @Nullable CollectionRecord definition,
      List<BuildBatch.ItemWork> items,
      List<Mutation> more) {
    return commit(jobs, definition, items, null, more);
  }

  /**
   * Advances the work like the other overload, with a range check.
   *
   * @param whole a check of the range of the items, cheaper than one check per item; the items are
   *     checked one by one only if it fails or the engine does not support it
   */
  Mono<Void> commit(
      Map<String, IndexWorkRecord.Job> jobs,
      @Nullable CollectionRecord definition,
      List<BuildBatch.ItemWork> items,
      @Nullable RangeCheck whole,
      List<Mutation> more) {
    IndexWorkRecord moved =
        record.with(owner, engine.now(), jobs, definition == null ? metadata.record() : definition);
    List<Check> checks = new ArrayList<>(FIXED_CHECKS + (whole == null ? items.size() : 0));
    checks.add(new Check(metadata.recordKey(), metadata.versionstamp()));
    checks.add(new Check(metadata.keys().job(), at));
    List<Mutation> mutations = new ArrayList<>(more);
    for (BuildBatch.ItemWork item : items) {
      if (whole == null) {
        checks.add(item.check());
      }
      mutations.addAll(item.mutations());
    }
    mutations.add(new Mutation.Set(metadata.keys().job(), moved.encode()));
    if (definition != null) {
      mutations.add(new Mutation.Set(metadata.recordKey(), definition.encode()));
    }
    mutations.sort(ItemCommit.BY_KEY);
    List<RangeCheck> ranges = whole == null ? List.of() : List.of(whole);
    return engine
        .commit(new Commit(checks, ranges, mutations, List.of(), null))
        .flatMap(
            result -> {
              if (result.committed()) {
                record = moved;
                at = result.versionstamp();
                return Mono.empty();
              }
              return whole != null && isCurrent(result)
                  ? commit(jobs, definition, items, null, more)
                  : conflict(result, jobs, definition, items, more);
            })
        .onErrorResume(
            KvException.class,
            e ->
                whole != null && e.code() == KvErrorCode.UNSUPPORTED
                    ? commit(jobs, definition, items, null, more)
                    : Mono.error(e));
  }

  /** Returns true if the collection and its work are unchanged. */
  private static boolean isCurrent(CommitResult conflict) {
    return conflict.failedChecks().stream().noneMatch(failed -> failed < FIXED_CHECKS);
  }

  private Mono<Void> conflict(
      CommitResult result,
      Map<String, IndexWorkRecord.Job> jobs,
      @Nullable CollectionRecord definition,
      List<BuildBatch.ItemWork> items,
      List<Mutation> more) {
    if (!isCurrent(result)) {
      return Mono.error(new Stale());
    }
    Set<Integer> failed = new HashSet<>(result.failedChecks());
    List<BuildBatch.ItemWork> same = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      if (!failed.contains(i + FIXED_CHECKS)) {
        same.add(items.get(i));
      }
    }
    return commit(jobs, definition, same, more);
  }
}
