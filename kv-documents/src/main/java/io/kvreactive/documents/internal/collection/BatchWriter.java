package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.BatchOperation;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Executes transactional batches. The items of a batch are read at one snapshot, the operations are
 * applied to them in memory, and the differences are one commit. A commit with a conflict is
 * planned again from the current state, up to a limit of attempts.
 */
final class BatchWriter {
  private final ItemWriter writer;
  private final ItemFilter.Compiler filters;

  BatchWriter(ItemWriter writer, ItemFilter.Compiler filters) {
    this.writer = writer;
    this.filters = filters;
  }

  Mono<BatchResult<ObjectNode>> execute(TransactionalBatch batch) {
    return Mono.defer(() -> new Attempts(batch, steps(batch)).attempt());
  }

  private List<BatchPlan.Step> steps(TransactionalBatch batch) {
    int count = batch.operations().size();
    if (count == 0) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT, "operations: none (expected: at least 1)");
    }
    if (count > TransactionalBatch.MAX_OPERATIONS) {
      throw new DocumentException(
          DocumentErrorCode.LIMIT_EXCEEDED,
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
      } catch (DocumentException e) {
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
  private final class Attempts extends WriteAttempts<BatchResult<ObjectNode>> {
    private final TransactionalBatch batch;
    private final List<BatchPlan.Step> steps;

    Attempts(TransactionalBatch batch, List<BatchPlan.Step> steps) {
      super(writer, "an item of the batch");
      this.batch = batch;
      this.steps = steps;
    }

    @Override
    Mono<BatchResult<ObjectNode>> attempt() {
      return writer
          .metadataCache
          .current()
          .flatMap(
              metadata ->
                  Mono.usingWhen(
                      writer.engine.snapshot().publishOn(writer.worker),
                      snapshot -> plan(metadata, snapshot),
                      snapshot -> Mono.fromRunnable(snapshot::close)))
          .flatMap(plan -> plan.writes() ? commit(plan) : Mono.just(plan.result()));
    }

    /** Reads the items, applies the operations and emits the plan. */
    private Mono<BatchPlan> plan(CollectionMetadata metadata, KvEngine.Snapshot snapshot) {
      BatchPlan plan = new BatchPlan(metadata, steps, batch);
      List<BatchPlan.ItemState> items = List.copyOf(plan.items.values());
      List<ReadRange> ids = new ArrayList<>();
      ids.add(ReadRange.point(metadata.recordKey()));
      items.forEach(item -> ids.add(ReadRange.point(item.idKey)));
      return read(ids, snapshot)
          .flatMap(
              pages -> {
                CollectionMetadata now = writer.metadataCache.of(pages.get(0));
                if (now == null) {
                  return Mono.error(CollectionMetadataCache.notFound(metadata.name()));
                }
                return now != metadata
                    ? plan(now, snapshot)
                    : load(plan, items, pages.subList(1, pages.size()), snapshot);
              });
    }

    private Mono<List<RangePage>> read(List<ReadRange> ranges, KvEngine.Snapshot snapshot) {
      long[] bytes = {0};
      return ItemReader.pages(writer.engine, writer.worker, ranges, snapshot)
          .doOnNext(page -> page.entries().forEach(entry -> bytes[0] += entry.bytes()))
          .doOnNext(page -> BatchPlan.checkStored(bytes[0]))
          .collectList();
    }

    private Mono<BatchPlan> load(
        BatchPlan plan,
        List<BatchPlan.ItemState> items,
        List<RangePage> pagesOfIds,
        KvEngine.Snapshot snapshot) {
      List<BatchPlan.ItemState> existing = new ArrayList<>();
      List<Long> docIds = new ArrayList<>();
      List<ReadRange> reads = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        long docId = ItemReader.docIdAt(pagesOfIds.get(i));
        if (docId != ItemReader.NO_DOC_ID) {
          existing.add(items.get(i));
          docIds.add(docId);
          ItemReader.addRanges(plan.metadata(), docId, reads);
        }
      }
      return read(reads, snapshot)
          .flatMap(
              pages -> {
                for (int i = 0; i < existing.size(); i++) {
                  long docId = docIds.get(i);
                  FoundItem found = ItemReader.found(plan.metadata(), docId, pages, i);
                  if (found == null) {
                    throw ItemReader.dangling(docId);
                  }
                  plan.found(existing.get(i), found, writer.now());
                }
                try {
                  plan.apply(expiredHolders(), writer.now(), snapshot.versionstamp());
                } catch (BatchException e) {
                  return earlierFailure(plan, snapshot).defaultIfEmpty(e).flatMap(Mono::error);
                }
                return Mono.just(plan);
              });
    }

    /** Emits the error of the first operation that claims unique values of another item. */
    private Mono<DocumentException> earlierFailure(BatchPlan plan, KvEngine.Snapshot snapshot) {
      List<byte[]> claims = plan.claims();
      return read(claims.stream().map(ReadRange::point).toList(), snapshot)
          .flatMapMany(
              pages ->
                  Flux.range(0, claims.size())
                      .filter(i -> ItemReader.docIdAt(pages.get(i)) != ItemReader.NO_DOC_ID)
                      .concatMap(
                          i -> {
                            long docId = ItemReader.docIdAt(pages.get(i));
                            ReadRange item = ReadRange.point(plan.metadata().keys().item(docId));
                            return read(List.of(item), snapshot)
                                .mapNotNull(found -> ItemReader.found(docId, found.get(0), null))
                                .filter(holder -> !writer.isExpired(plan.metadata(), holder.item()))
                                .map(holder -> taken(plan, claims.get(i), holder));
                          },
                          1))
          .next();
    }
  }
}
