package io.kvreactive.documents.internal.collection;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.Commit;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One write of one or more items, with all of its attempts. An attempt reads the items, decides and
 * commits. After a conflict the next attempt starts from the current state, up to a limit. A unique
 * value of an expired item is free: the next attempt removes that item. An instance must be used
 * only once.
 *
 * @param <R> the type of the result
 */
abstract class WriteAttempts<R> {
  /** Maximum number of attempts of a write with conflicts. */
  static final int MAX_ATTEMPTS = 100;

  private static final int MAX_PAUSE_MILLIS = 50;

  /**
   * The decision of one attempt, made from the items as read.
   *
   * @param <R> the type of the result
   */
  interface Plan<R> {
    CollectionMetadata metadata();

    /** Returns the number of new items, each of which needs a document id. */
    int created();

    /**
     * Returns the changes to commit.
     *
     * @param docIds the document ids for new items, at least {@link #created}
     * @param expiredHolders the expired items that have claimed unique values, to be removed
     */
    ItemCommit changes(List<Long> docIds, List<FoundItem> expiredHolders, KvLimits limits);

    /** Returns the result of the commit. */
    R result(Versionstamp version);

    /** Returns the error of a commit that exceeds a limit of the store. */
    DocumentException tooLarge(KvException e);

    /**
     * Returns the keys of the claimed unique values, in the order in which a taken one is reported.
     */
    List<byte[]> claims(ItemCommit changes);

    /** Returns the error of a claimed unique value that another item has. */
    DocumentException taken(byte[] claim, DocumentException e);
  }

  private final ItemWriter writer;
  private final String what;
  private final List<Long> docIds = new ArrayList<>(1); // reserved for new items
  private String collectionId = ""; // of docIds
  private int conflicts;

  /** The expired items that have claimed unique values, by document id. */
  private final Map<Long, FoundItem> expiredHolders = new LinkedHashMap<>();

  /**
   * Creates the attempts of a write.
   *
   * @param what what is written, for messages
   */
  WriteAttempts(ItemWriter writer, String what) {
    this.writer = writer;
    this.what = what;
  }

  /** Reads the items, decides, and {@linkplain #commit commits} unless there is nothing to do. */
  abstract Mono<R> attempt();

  /** Returns true if no commit has conflicted yet. */
  final boolean isFirst() {
    return conflicts == 0;
  }

  /** Returns the expired items that the next commit removes, because their values are claimed. */
  final List<FoundItem> expiredHolders() {
    return List.copyOf(expiredHolders.values());
  }

  /** Commits a plan and emits its result, after further attempts if there are conflicts. */
  final Mono<R> commit(Plan<R> plan) {
    CollectionMetadata metadata = plan.metadata();
    if (!metadata.record().id().equals(collectionId)) {
      docIds.clear();
      collectionId = metadata.record().id();
    }
    int created = plan.created();
    while (docIds.size() < created) {
      DocIdBlocks blocks = writer.blocks(metadata);
      Long docId = blocks.poll(); // available in most cases
      if (docId == null) {
        return blocks
            .take(metadata)
            .publishOn(writer.worker)
            .map(docIds::add)
            .defaultIfEmpty(false)
            .flatMap(given -> given ? commit(plan) : refresh());
      }
      docIds.add(docId);
    }
    ItemCommit changes = plan.changes(docIds, expiredHolders(), writer.engine.limits());
    Commit commit = changes.build();
    return writer
        .commit(commit, changes.firstExpiry())
        .onErrorMap(
            KvException.class, e -> e.code() == KvErrorCode.LIMIT_EXCEEDED ? plan.tooLarge(e) : e)
        .flatMap(
            result ->
                result.committed()
                    ? Mono.just(plan.result(Objects.requireNonNull(result.versionstamp())))
                    : conflict(plan, plan.claims(changes), commit, result));
  }

  private Mono<R> conflict(Plan<R> plan, List<byte[]> claims, Commit commit, CommitResult result) {
    expiredHolders.clear();
    if (++conflicts >= MAX_ATTEMPTS) {
      return Mono.error(tooManyConflicts());
    }
    if (result.failedChecks().contains(ItemCommit.RECORD_CHECK)) {
      return refresh();
    }
    List<byte[]> failed =
        result.failedChecks().stream().map(check -> commit.checks().get(check).key()).toList();
    List<byte[]> taken = taken(claims, failed);
    if (taken.size() < failed.size()) {
      return retry(); // an item itself has changed: the unique values may be its own
    }
    return Flux.fromIterable(taken)
        .concatMap(
            claim ->
                writer
                    .reader
                    .findBy(plan.metadata(), claim)
                    .doOnNext(holder -> releaseIfExpired(plan, claim, holder)))
        .then(retry());
  }

  /** Returns the claimed keys that have failed, in the order of the claims. */
  static List<byte[]> taken(List<byte[]> claims, List<byte[]> failed) {
    Set<ByteBuffer> keys = failed.stream().map(ByteBuffer::wrap).collect(Collectors.toSet());
    return claims.stream().filter(claim -> keys.contains(ByteBuffer.wrap(claim))).toList();
  }

  private void releaseIfExpired(Plan<R> plan, byte[] claim, FoundItem holder) {
    if (!writer.isExpired(plan.metadata(), holder.item())) {
      throw taken(plan, claim, holder);
    }
    expiredHolders.putIfAbsent(holder.docId(), holder);
  }

  /** Returns the error for a claimed unique value that another item has. */
  static DocumentException taken(Plan<?> plan, byte[] claim, FoundItem holder) {
    ItemIdentity identity = ItemIdentity.of(holder.item().document(), plan.metadata());
    return plan.taken(claim, ItemOperations.uniqueTaken(identity.toString()));
  }

  private Mono<R> refresh() {
    expiredHolders.clear();
    return writer.metadataCache.refresh().flatMap(metadata -> attempt());
  }

  /** Attempts again after a random pause that grows with the number of conflicts. */
  private Mono<R> retry() {
    int bound = Math.min(MAX_PAUSE_MILLIS, 1 << Math.min(conflicts, 10));
    Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(bound * 1_000_000L));
    return Mono.delay(conflicts == 1 ? Duration.ZERO : pause, writer.worker)
        .then(Mono.defer(this::attempt));
  }

  private KvException tooManyConflicts() {
    return new KvException(
        KvErrorCode.CONFLICT,
        what
            + " was changed by others in each of "
            + MAX_ATTEMPTS
            + " attempts (expected: fewer writers at a time)");
  }
}
