package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.BatchException;
import io.kvreactive.index.BatchOperation;
import io.kvreactive.index.BatchResult;
import io.kvreactive.index.BatchResult.Outcome;
import io.kvreactive.index.BatchResult.Result;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.Item;
import io.kvreactive.index.TransactionalBatch;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.index.internal.layout.ItemEntries;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Executes transactional batches. The items of a batch are read at one snapshot, the operations are
 * applied to them in memory, and the differences are one commit. A commit with a conflict is
 * planned again from the current state, up to a limit of attempts.
 */
final class BatchWriter {
  /** Maximum bytes of the stored items of a batch, and of the items that its operations return. */
  private static final long MAX_STORED = 16 << 20;

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

  /** Returns a key that was wrapped whole, as all are here. */
  @SuppressWarnings("ByteBufferBackingArray")
  private static byte[] bytes(ByteBuffer key) {
    return key.array();
  }

  /**
   * An operation that was validated.
   *
   * @param id the id of the item; null if the document has it
   */
  private record Step(
      BatchOperation operation,
      @Nullable String id,
      @Nullable Document document,
      @Nullable ItemFilter filter) {}

  private List<Step> steps(TransactionalBatch batch) {
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
    List<Step> steps = new ArrayList<>(count);
    long bytes = 0;
    for (BatchOperation operation : batch.operations()) {
      try {
        Step step = step(operation);
        bytes += step.document() == null ? 0 : step.document().json().length;
        steps.add(step);
      } catch (IndexException e) {
        throw new BatchException(steps.size(), e);
      }
    }
    checkBytes(bytes);
    return steps;
  }

  private static void checkBytes(long bytes) {
    if (bytes > TransactionalBatch.MAX_BYTES) {
      throw new IndexException(
          IndexErrorCode.LIMIT_EXCEEDED,
          "documents of "
              + bytes
              + " bytes (expected: at most "
              + TransactionalBatch.MAX_BYTES
              + " in one batch)");
    }
  }

  private static void checkStored(long bytes) {
    if (bytes > MAX_STORED) {
      throw new IndexException(
          IndexErrorCode.LIMIT_EXCEEDED,
          "a batch on stored items of more than "
              + MAX_STORED
              + " bytes (expected: at most that, or fewer items in one batch)");
    }
  }

  private Step step(BatchOperation operation) {
    if (operation instanceof BatchOperation.Create create) {
      return new Step(operation, null, Document.of(create.document()), null);
    }
    if (operation instanceof BatchOperation.Upsert upsert) {
      return new Step(operation, null, Document.of(upsert.document()), null);
    }
    if (operation instanceof BatchOperation.Replace replace) {
      return new Step(operation, null, Document.of(replace.document()), null);
    }
    if (operation instanceof BatchOperation.Patch patch) {
      String filter = patch.options().filter();
      return new Step(operation, patch.id(), null, filter == null ? null : filters.compile(filter));
    }
    return operation instanceof BatchOperation.Read read
        ? new Step(operation, read.id(), null, null)
        : new Step(operation, ((BatchOperation.Delete) operation).id(), null, null);
  }

  /** An item of a batch: as stored at the snapshot, and as the operations so far have left it. */
  private static final class ItemState {
    final ItemIdentity identity;
    final byte[] idKey;
    @Nullable FoundItem stored; // null if absent or expired
    boolean exists;
    boolean changed;
    @Nullable Document document; // if changed
    boolean indexed;
    List<ByteBuffer> unique = List.of();

    ItemState(ItemIdentity identity, byte[] idKey) {
      this.identity = identity;
      this.idKey = idKey;
    }

    void found(FoundItem item) {
      stored = item;
      exists = true;
      indexed = item.item().indexed();
    }

    /** Returns the etag, or null if there is no item or the batch has changed the item. */
    @Nullable Versionstamp etag() {
      FoundItem item = stored;
      return changed || item == null ? null : item.item().etag();
    }
  }

  /** The result of an operation before the commit; the document is null if it is the stored one. */
  private record Draft(Outcome outcome, @Nullable Document document, @Nullable FoundItem stored) {
    /** Returns the size of the item that the result has. */
    int bytes() {
      return document != null ? document.json().length : stored != null ? stored.item().size() : 0;
    }
  }

  /** One batch with all of its attempts. */
  private final class Attempts {
    private final TransactionalBatch batch;
    private final List<Step> steps;
    private final List<Long> docIds = new ArrayList<>(); // allocated for new items
    private String docIdsOf = ""; // the id of the collection that docIds are of
    private int attempts;
    private List<FoundItem> expiredHolders = new ArrayList<>(); // of unique values, to be removed

    Attempts(TransactionalBatch batch, List<Step> steps) {
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
      List<ItemState> items = List.copyOf(plan.items.values());
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
          .doOnNext(some -> checkStored(bytes.addAndGet(some.bytes())))
          .repeat(() -> pages.size() < ranges.size())
          .then(Mono.fromSupplier(() -> pages))
          .publishOn(worker);
    }

    private Mono<BatchPlan> load(
        BatchPlan plan,
        List<ItemState> items,
        List<RangePage> pagesOfIds,
        KvEngine.Snapshot snapshot) {
      List<ItemState> there = new ArrayList<>();
      List<Long> numbers = new ArrayList<>();
      List<ReadRange> reads = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        long docId = ItemReader.docIdAt(pagesOfIds.get(i));
        if (docId != 0) {
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
            int each = plan.metadata.mayLag() ? 2 : 1;
            for (int i = 0; i < there.size(); i++) {
              FoundItem found =
                  ItemReader.found(numbers.get(i), pages.subList(each * i, each * (i + 1)));
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
      List<ReadRange> ids = claims.stream().map(key -> ReadRange.point(bytes(key))).toList();
      return read(ids, snapshot)
          .flatMapMany(
              pages ->
                  Flux.range(0, claims.size())
                      .filter(i -> ItemReader.docIdAt(pages.get(i)) != 0)
                      .concatMap(
                          i -> {
                            long docId = ItemReader.docIdAt(pages.get(i));
                            ReadRange item = ReadRange.point(plan.metadata.keys().item(docId));
                            return read(List.of(item), snapshot)
                                .mapNotNull(found -> ItemReader.found(docId, found))
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
                Commit commit = plan.commit(docIds, expiredHolders, engine.limits());
                return engine
                    .commit(commit)
                    .onErrorMap(KvException.class, this::tooLarge)
                    .publishOn(worker)
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
          .filter(key -> failed.stream().anyMatch(other -> Arrays.equals(other, bytes(key))))
          .concatMap(
              key ->
                  reader
                      .findBy(plan.metadata, bytes(key))
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

  /** The operations of a batch applied to the items of one snapshot. */
  private static final class BatchPlan {
    final CollectionMetadata metadata;
    private final List<Step> steps;
    final Map<ByteBuffer, ItemState> items = new LinkedHashMap<>();
    private final List<ItemState> ofSteps = new ArrayList<>();
    private final List<Draft> drafts = new ArrayList<>();
    private final List<FoundItem> expired = new ArrayList<>();
    private final Map<ByteBuffer, ItemState> owners = new HashMap<>(); // of unique values, now
    private final Set<ByteBuffer> owned = new HashSet<>(); // unique values of the stored items

    /** Unique values that no stored item of the batch has, with the first operation of each. */
    final Map<ByteBuffer, Integer> claims = new LinkedHashMap<>();

    Versionstamp snapshot = Versionstamp.ZERO;
    private long second;

    /**
     * Creates a plan.
     *
     * @throws IndexException INVALID_ARGUMENT for the partition key, or the error of an operation
     */
    BatchPlan(CollectionMetadata metadata, List<Step> steps, TransactionalBatch batch) {
      this.metadata = metadata;
      this.steps = steps;
      ItemIdentity any = ItemIdentity.of("", batch.partition(), metadata);
      for (Step step : steps) {
        try {
          ItemIdentity identity = identity(step, any);
          byte[] key = identity.key(metadata);
          ofSteps.add(
              items.computeIfAbsent(ByteBuffer.wrap(key), same -> new ItemState(identity, key)));
        } catch (IndexException e) {
          throw new BatchException(ofSteps.size(), e);
        }
      }
    }

    private ItemIdentity identity(Step step, ItemIdentity any) {
      String id = step.id();
      if (id != null) {
        return new ItemIdentity(any.partition(), id);
      }
      ItemIdentity own = ItemIdentity.of(Objects.requireNonNull(step.document()).tree(), metadata);
      ItemIdentity expected = new ItemIdentity(any.partition(), own.id());
      if (!Arrays.equals(own.key(metadata), expected.key(metadata))) {
        throw new IndexException(
            IndexErrorCode.INVALID_ITEM,
            "item " + own + " (expected: the partition key of the batch, " + any.partition() + ")");
      }
      return own;
    }

    /** Sets the stored form of an item. */
    void found(ItemState item, FoundItem found, long now) {
      if (found.item().expired(metadata.defaultTtl(), now)) {
        expired.add(found);
        owned.addAll(unique(found.item().indexable()));
      } else {
        item.found(found);
        item.unique = unique(found.item().indexable());
        owned.addAll(item.unique);
        item.unique.forEach(value -> owners.put(value, item));
      }
    }

    private List<ByteBuffer> unique(ObjectNode indexable) {
      return ItemEntries.unique(metadata.writeLayout(), indexable).stream()
          .map(entry -> ByteBuffer.wrap(metadata.keys().unique(entry.key())))
          .toList();
    }

    /**
     * Applies all operations.
     *
     * @throws BatchException the error of the first operation that fails
     */
    void apply(List<FoundItem> expiredHolders, long now, Versionstamp version) {
      snapshot = version;
      second = now;
      expiredHolders.forEach(holder -> owned.addAll(unique(holder.item().indexable())));
      long patched = 0;
      long read = 0;
      for (int i = 0; i < steps.size(); i++) {
        Draft draft;
        try {
          draft = apply(i, steps.get(i), ofSteps.get(i));
        } catch (IndexException e) {
          throw new BatchException(i, e);
        }
        drafts.add(draft);
        if (draft.outcome() == Outcome.READ) {
          read += draft.bytes();
        } else if (steps.get(i).document() == null) {
          patched += draft.bytes();
        }
        checkBytes(patched); // before the next one takes memory
        checkStored(read);
      }
    }

    private Draft apply(int index, Step step, ItemState item) {
      BatchOperation operation = step.operation();
      if (operation instanceof BatchOperation.Create create) {
        if (item.exists) {
          throw ItemOperations.alreadyExists(item.identity.id());
        }
        checkEtag(item, create.options().ifMatch());
        return put(index, item, Objects.requireNonNull(step.document()), create.options());
      }
      if (operation instanceof BatchOperation.Upsert upsert) {
        checkEtag(item, upsert.options().ifMatch());
        return put(index, item, Objects.requireNonNull(step.document()), upsert.options());
      }
      if (!item.exists) {
        throw ItemOperations.notFound("\"" + item.identity.id() + "\"");
      }
      if (operation instanceof BatchOperation.Replace replace) {
        checkEtag(item, replace.options().ifMatch());
        return put(index, item, Objects.requireNonNull(step.document()), replace.options());
      }
      if (operation instanceof BatchOperation.Read read) {
        checkEtag(item, read.options().ifMatch());
        return new Draft(Outcome.READ, item.document, item.stored);
      }
      if (operation instanceof BatchOperation.Patch patch) {
        checkEtag(item, patch.options().ifMatch());
        Document document = patched(item, patch, step.filter());
        Boolean asked = ItemOperations.indexed(patch.options().directive());
        return put(index, item, document, asked == null ? item.indexed : asked);
      }
      checkEtag(item, ((BatchOperation.Delete) operation).options().ifMatch());
      claim(index, item, List.of());
      item.exists = false;
      item.changed = true;
      item.document = null;
      return new Draft(Outcome.DELETED, null, null);
    }

    private static void checkEtag(ItemState item, @Nullable Versionstamp expected) {
      ItemOperations.checkEtag(
          item.etag(),
          expected,
          "\"" + item.identity.id() + "\"",
          item.exists ? "new, as the batch has changed the item" : "none, as there is no item");
    }

    private Draft put(int index, ItemState item, Document document, WriteOptions options) {
      Boolean asked = ItemOperations.indexed(options.directive());
      return put(
          index,
          item,
          document,
          asked == null ? metadata.definition().indexingPolicy().automatic() : asked);
    }

    private Draft put(int index, ItemState item, Document document, boolean indexed) {
      claim(index, item, unique(indexable(document)));
      Outcome outcome = item.exists ? Outcome.REPLACED : Outcome.CREATED;
      item.exists = true;
      item.changed = true;
      item.document = document;
      item.indexed = indexed;
      return new Draft(outcome, document, null);
    }

    private ObjectNode indexable(Document document) {
      ObjectNode copy = document.tree().objectNode();
      copy.setAll(document.tree());
      return copy.put(StoredItem.TS, second);
    }

    /** Gives an item other unique values, which no other item may have now. */
    private void claim(int index, ItemState item, List<ByteBuffer> values) {
      for (ByteBuffer value : values) {
        ItemState owner = owners.get(value);
        if (owner != null && owner != item) {
          throw ItemOperations.uniqueTaken(owner.identity.toString());
        }
      }
      item.unique.forEach(owners::remove);
      for (ByteBuffer value : values) {
        owners.put(value, item);
        if (!owned.contains(value)) {
          claims.putIfAbsent(value, index);
        }
      }
      item.unique = values;
    }

    private Document patched(
        ItemState item, BatchOperation.Patch patch, @Nullable ItemFilter filter) {
      ObjectNode now = current(item);
      FoundItem stored = item.stored;
      ItemOperations.checkFilter(
          filter, metadata, stored == null ? 0 : stored.docId(), now, item.identity.id());
      return ItemOperations.patched(now, patch.operations(), item.identity, metadata);
    }

    /** Returns the item as the batch has left it. A changed item has the etag of the snapshot. */
    private ObjectNode current(ItemState item) {
      Document document = item.document;
      return document == null
          ? Objects.requireNonNull(item.stored).item().document()
          : StoredItem.withSystemMembers(indexable(document), second, snapshot);
    }

    boolean writes() {
      return items.values().stream().anyMatch(item -> item.changed);
    }

    /** Returns the number of new items. */
    int created() {
      return (int)
          items.values().stream().filter(item -> item.exists && item.stored == null).count();
    }

    /** Returns the commit of all differences. */
    Commit commit(List<Long> docIds, List<FoundItem> expiredHolders, KvLimits limits) {
      ItemCommit commit = new ItemCommit(metadata);
      commit.release(owned.stream().map(BatchWriter::bytes).toList());
      Set<Long> removed = new HashSet<>();
      for (FoundItem gone : expired) {
        if (removed.add(gone.docId())) {
          commit.remove(gone);
        }
      }
      for (FoundItem gone : expiredHolders) {
        if (removed.add(gone.docId())) {
          commit.remove(gone);
        }
      }
      Set<ByteBuffer> checked = new HashSet<>();
      int used = 0;
      for (ItemState item : items.values()) {
        FoundItem stored = item.stored;
        if (!item.changed && stored != null) {
          commit.checkUnchanged(stored);
        } else if (!item.exists && stored != null) {
          commit.remove(stored);
        } else if (!item.exists) {
          commit.checkAbsent(item.idKey);
        } else {
          Document document = Objects.requireNonNull(item.document);
          List<byte[]> values =
              stored == null
                  ? commit.create(item.identity, docIds.get(used++), document, item.indexed, second)
                  : commit.replace(stored, document, item.indexed, second);
          commit.checkDeferred(limits);
          values.forEach(value -> checked.add(ByteBuffer.wrap(value)));
        }
      }
      for (ByteBuffer claimed : claims.keySet()) {
        if (!checked.contains(claimed)) {
          commit.checkAbsent(bytes(claimed)); // of an operation that a later one has undone
        }
      }
      return commit.build();
    }

    BatchResult<ObjectNode> result(Versionstamp version) {
      List<Result<ObjectNode>> results = new ArrayList<>(drafts.size());
      for (Draft draft : drafts) {
        results.add(new Result<>(draft.outcome(), item(draft, version)));
      }
      return new BatchResult<>(version, results);
    }

    private @Nullable Item<ObjectNode> item(Draft draft, Versionstamp version) {
      Document document = draft.document();
      if (document == null) {
        return draft.stored() == null ? null : ItemOperations.item(draft.stored().item());
      }
      ObjectNode whole = document.tree().objectNode();
      whole.setAll(document.tree());
      StoredItem.withSystemMembers(whole, second, version);
      return new Item<>(whole, whole.get("id").textValue(), version, Instant.ofEpochSecond(second));
    }
  }
}
