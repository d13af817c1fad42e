package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.BatchException;
import io.kvreactive.index.BatchOperation;
import io.kvreactive.index.BatchResult;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.TransactionalBatch;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Executes transactional batches. The items of a batch are read at one snapshot, the operations are
 * applied to them in memory, and the differences are one commit. A commit with a conflict is
 * planned again from the current state, up to a limit of attempts.
 */
final class BatchWriter {

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache metadataCache;
  private final ItemWriter writer;
  private final ItemReader reader;
  private final ItemFilter.Compiler filters;

  BatchWriter(
      KvEngine engine,
      Scheduler worker,
      CollectionMetadataCache metadataCache,
      ItemWriter writer,
      ItemFilter.Compiler filters) {
    this.engine = engine;
    this.worker = worker;
    this.metadataCache = metadataCache;
    this.writer = writer;
    this.reader = new ItemReader(engine, worker, metadataCache, true);
    this.filters = filters;
  }

  Mono<BatchResult<ObjectNode>> execute(TransactionalBatch batch) {
    return Mono.defer(() -> new Attempts(batch, steps(batch)).run());
  }

  private List<BatchPlan.Step> steps(TransactionalBatch batch) {
    int count = batch.operations().size();
    if (count == 0) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT, "operations: none (expected: at least 1)");
    }
    if (count > TransactionalBatch.MAX_OPERATIONS) {
      throw new IndexException(
          IndexErrorCode.LIMIT_EXCEEDED,
          "operations: "
              + count
              + " (expected: at most "
              + TransactionalBatch.MAX_OPERATIONS
              + " in one batch)");
    }
    List<BatchPlan.Step> steps = new ArrayList<>(count);
    long bytes = 0;
    for (BatchOperation operation : batch.operations()) {
      try {
        BatchPlan.Step step = step(operation);
        bytes += step.document() == null ? 0 : step.document().json().length;
        steps.add(step);
      } catch (IndexException e) {
        throw new BatchException(steps.size(), e);
      }
    }
    BatchPlan.checkBytes(bytes);
    return steps;
  }

  private BatchPlan.Step step(BatchOperation operation) {
    if (operation instanceof BatchOperation.Create create) {
      return new BatchPlan.Step(operation, null, Document.of(create.document()), null);
    }
    if (operation instanceof BatchOperation.Upsert upsert) {
      return new BatchPlan.Step(operation, null, Document.of(upsert.document()), null);
    }
    if (operation instanceof BatchOperation.Replace replace) {
      return new BatchPlan.Step(operation, null, Document.of(replace.document()), null);
    }
    if (operation instanceof BatchOperation.Patch patch) {
      PatchApplier.checkNotEmpty(patch.operations());
      String filter = patch.options().filter();
      return new BatchPlan.Step(
          operation, patch.id(), null, filter == null ? null : filters.compile(filter));
    }
    return operation instanceof BatchOperation.Read read
        ? new BatchPlan.Step(operation, read.id(), null, null)
        : new BatchPlan.Step(operation, ((BatchOperation.Delete) operation).id(), null, null);
  }

  /** One batch with all of its attempts. */
  private final class Attempts {
    private final TransactionalBatch batch;
    private final List<BatchPlan.Step> steps;
    private final List<Long> docIds = new ArrayList<>(); // allocated for new items
    private String docIdsOf = ""; // the id of the collection that docIds are of
    private int attempts;
    private List<FoundItem> expiredHolders = new ArrayList<>(); // of unique values, to be removed

    Attempts(TransactionalBatch batch, List<BatchPlan.Step> steps) {
      this.batch = batch;
      this.steps = steps;
    }

    Mono<BatchResult<ObjectNode>> run() {
      return metadataCache
          .current()
          .flatMap(
              metadata ->
                  Mono.usingWhen(
                      engine.snapshot().publishOn(worker),
                      snapshot -> plan(metadata, snapshot),
                      snapshot -> Mono.fromRunnable(snapshot::close)))
          .flatMap(this::commit);
    }

    /** Emits the plan. If the metadata has changed, its items are null. */
    private Mono<BatchPlan> plan(CollectionMetadata metadata, KvEngine.Snapshot snapshot) {
      BatchPlan plan = new BatchPlan(metadata, steps, batch);
      List<BatchPlan.ItemState> items = List.copyOf(plan.items.values());
      List<ReadRange> ids = new ArrayList<>();
      ids.add(ReadRange.point(metadata.recordKey()));
      items.forEach(item -> ids.add(ReadRange.point(item.idKey)));
      return read(ids, snapshot)
          .flatMap(
              pages -> {
                CollectionMetadata now = metadataCache.of(pages.get(0));
                if (now == null) {
                  return Mono.error(CollectionMetadataCache.notFound(metadata.name()));
                }
                return now != metadata
                    ? plan(now, snapshot)
                    : load(plan, items, pages.subList(1, pages.size()), snapshot);
              });
    }

    private Mono<List<RangePage>> read(List<ReadRange> ranges, KvEngine.Snapshot snapshot) {
      List<RangePage> pages = new ArrayList<>(ranges.size());
      AtomicLong bytes = new AtomicLong();
      return Mono.defer(() -> engine.read(ranges.subList(pages.size(), ranges.size()), snapshot))
          .doOnNext(some -> pages.addAll(some.pages()))
          .doOnNext(some -> BatchPlan.checkStored(bytes.addAndGet(some.bytes())))
          .repeat(() -> pages.size() < ranges.size())
          .then(Mono.fromSupplier(() -> pages))
          .publishOn(worker);
    }

    private Mono<BatchPlan> load(
        BatchPlan plan,
        List<BatchPlan.ItemState> items,
        List<RangePage> pagesOfIds,
        KvEngine.Snapshot snapshot) {
      List<BatchPlan.ItemState> there = new ArrayList<>();
      List<Long> numbers = new ArrayList<>();
      List<ReadRange> reads = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        long docId = ItemReader.docIdAt(pagesOfIds.get(i));
        if (docId != ItemReader.NO_DOC_ID) {
          there.add(items.get(i));
          numbers.add(docId);
          if (plan.metadata.mayLag()) {
            reads.add(ReadRange.point(plan.metadata.keys().pending(docId)));
          }
          reads.add(ReadRange.point(plan.metadata.keys().item(docId)));
        }
      }
      Mono<List<RangePage>> loaded = reads.isEmpty() ? Mono.just(List.of()) : read(reads, snapshot);
      return loaded.flatMap(
          pages -> {
            Iterator<RangePage> next = pages.iterator();
            for (int i = 0; i < there.size(); i++) {
              RangePage pending = plan.metadata.mayLag() ? next.next() : null;
              FoundItem found = ItemReader.found(numbers.get(i), next.next(), pending);
              if (found == null) {
                throw ItemReader.dangling(numbers.get(i));
              }
              plan.found(there.get(i), found, writer.now());
            }
            try {
              plan.apply(expiredHolders, writer.now(), snapshot.versionstamp());
            } catch (BatchException e) {
              return earlierFailure(plan, snapshot).defaultIfEmpty(e).flatMap(Mono::error);
            }
            return Mono.just(plan);
          });
    }

    /** Emits the error of the first operation that claims unique values of another item. */
    private Mono<BatchException> earlierFailure(BatchPlan plan, KvEngine.Snapshot snapshot) {
      List<ByteBuffer> claims = List.copyOf(plan.claims.keySet()); // in the order of operations
      if (claims.isEmpty()) {
        return Mono.empty();
      }
      List<ReadRange> ids =
          claims.stream().map(key -> ReadRange.point(BatchPlan.bytes(key))).toList();
      return read(ids, snapshot)
          .flatMapMany(
              pages ->
                  Flux.range(0, claims.size())
                      .filter(i -> ItemReader.docIdAt(pages.get(i)) != ItemReader.NO_DOC_ID)
                      .concatMap(
                          i -> {
                            long docId = ItemReader.docIdAt(pages.get(i));
                            ReadRange item = ReadRange.point(plan.metadata.keys().item(docId));
                            return read(List.of(item), snapshot)
                                .mapNotNull(found -> ItemReader.found(docId, found.get(0), null))
                                .filter(holder -> isAlive(plan, holder))
                                .map(holder -> taken(plan, claims.get(i), holder));
                          },
                          1))
          .next();
    }

    private boolean isAlive(BatchPlan plan, FoundItem holder) {
      return !holder.item().expired(plan.metadata.defaultTtl(), writer.now());
    }

    /** Returns the error of the operation that claims a unique value of another item. */
    private BatchException taken(BatchPlan plan, ByteBuffer key, FoundItem holder) {
      return new BatchException(
          Objects.requireNonNull(plan.claims.get(key)),
          ItemOperations.uniqueTaken(
              ItemIdentity.of(holder.item().document(), plan.metadata).toString()));
    }

    private Mono<BatchResult<ObjectNode>> commit(BatchPlan plan) {
      if (!plan.writes()) {
        return Mono.just(plan.result(plan.snapshot));
      }
      return docIds(plan)
          .flatMap(
              given -> {
                if (!given) {
                  return metadataCache.refresh().then(Mono.defer(this::run));
                }
                ItemCommit changes = plan.commit(docIds, expiredHolders, engine.limits());
                Commit commit = changes.build();
                return engine
                    .commit(commit)
                    .onErrorMap(KvException.class, this::tooLarge)
                    .publishOn(worker)
                    .doOnNext(result -> writer.committed(result, changes.firstExpiry()))
                    .flatMap(
                        result ->
                            result.committed()
                                ? Mono.just(
                                    plan.result(Objects.requireNonNull(result.versionstamp())))
                                : conflict(plan, commit, result));
              });
    }

    /** Allocates document ids for new items. Emits false if the metadata has changed. */
    private Mono<Boolean> docIds(BatchPlan plan) {
      CollectionMetadata metadata = plan.metadata;
      if (!metadata.record().id().equals(docIdsOf)) {
        docIds.clear();
        docIdsOf = metadata.record().id();
      }
      int missing = plan.created() - docIds.size();
      return missing <= 0
          ? Mono.just(true)
          : Flux.range(0, missing)
              .concatMap(i -> writer.blocks(metadata).take(metadata))
              .collectList()
              .publishOn(worker)
              .map(
                  taken -> {
                    docIds.addAll(taken);
                    return taken.size() == missing;
                  });
    }

    private Throwable tooLarge(KvException e) {
      return e.code() == KvErrorCode.LIMIT_EXCEEDED
          ? new IndexException(
              IndexErrorCode.LIMIT_EXCEEDED,
              "the batch with its index entries does not fit into one commit of this store: "
                  + e.detail(),
              e)
          : e;
    }

    private Mono<BatchResult<ObjectNode>> conflict(
        BatchPlan plan, Commit commit, CommitResult result) {
      expiredHolders = new ArrayList<>();
      if (++attempts >= ItemWriter.ATTEMPTS) {
        return Mono.error(ItemWriter.tooManyConflicts("an item of the batch"));
      }
      if (result.failedChecks().contains(ItemCommit.RECORD_CHECK)) {
        return metadataCache.refresh().then(Mono.defer(this::run));
      }
      List<byte[]> failed =
          result.failedChecks().stream().map(check -> commit.checks().get(check).key()).toList();
      if (!failed.stream().allMatch(key -> plan.claims.containsKey(ByteBuffer.wrap(key)))) {
        return retry(); // an item itself has changed
      }
      return Flux.fromIterable(plan.claims.keySet()) // in the order of operations
          .filter(
              key -> failed.stream().anyMatch(other -> Arrays.equals(other, BatchPlan.bytes(key))))
          .concatMap(
              key ->
                  reader
                      .findBy(plan.metadata, BatchPlan.bytes(key))
                      .doOnNext(holder -> releaseIfExpired(plan, key, holder)))
          .then(retry());
    }

    /** Handles a unique value of another item, which is removed if it has expired. */
    private void releaseIfExpired(BatchPlan plan, ByteBuffer key, FoundItem holder) {
      if (isAlive(plan, holder)) {
        throw taken(plan, key, holder);
      }
      if (expiredHolders.stream().noneMatch(known -> known.docId() == holder.docId())) {
        expiredHolders.add(holder);
      }
    }

    private Mono<BatchResult<ObjectNode>> retry() {
      return ItemWriter.pause(attempts, worker).then(Mono.defer(this::run));
    }
  }
}
