package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.BatchOperation;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.BatchResult.Outcome;
import io.kvreactive.documents.BatchResult.Result;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations of a batch, applied to its items as stored at one snapshot. Not thread-safe. */
final class BatchPlan implements WriteAttempts.Plan<BatchResult<ObjectNode>> {
  /** Maximum bytes of the stored items of a batch, and of the items that its operations return. */
  static final long MAX_STORED = 16 << 20;

  /**
   * An operation that was validated.
   *
   * @param id the id of the item; null if the document has it
   */
  record Step(
      BatchOperation operation,
      @Nullable String id,
      @Nullable Document document,
      @Nullable ItemFilter filter) {}

  /** An item of a batch: as stored at the snapshot, and as the operations so far have left it. */
  static final class ItemState {
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

  private final CollectionMetadata metadata;
  private final List<Step> steps;
  final Map<ByteBuffer, ItemState> items = new LinkedHashMap<>();
  private final List<ItemState> ofSteps = new ArrayList<>();
  private final List<Draft> drafts = new ArrayList<>();
  private final List<FoundItem> expired = new ArrayList<>();
  private final Map<ByteBuffer, ItemState> owners = new HashMap<>(); // of unique values, now
  private final Set<ByteBuffer> owned = new HashSet<>(); // unique values of the stored items

  /** Unique values that no stored item of the batch has, with the first operation of each. */
  private final Map<ByteBuffer, Integer> claims = new LinkedHashMap<>();

  private Versionstamp snapshot = Versionstamp.ZERO;
  private long second;

  /**
   * Creates a plan.
   *
   * @throws DocumentException INVALID_ARGUMENT for the partition key, or the error of an operation
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
      } catch (DocumentException e) {
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
    if (!own.partition().equals(expected.partition()) // numbers may be equal in another form
        && !Arrays.equals(own.key(metadata), expected.key(metadata))) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "item " + own + " (expected: the partition key of the batch, " + any.partition() + ")");
    }
    return own;
  }

  @Override
  public CollectionMetadata metadata() {
    return metadata;
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
      } catch (DocumentException e) {
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
      Boolean requested = ItemOperations.indexed(patch.options().directive());
      return put(index, item, document, requested == null ? item.indexed : requested);
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
    Boolean requested = ItemOperations.indexed(options.directive());
    return put(
        index,
        item,
        document,
        requested == null ? metadata.definition().indexingPolicy().automatic() : requested);
  }

  private Draft put(int index, ItemState item, Document document, boolean indexed) {
    boolean hasUniqueKeys = !metadata.writeLayout().uniqueKeys().isEmpty();
    claim(index, item, hasUniqueKeys ? unique(indexable(document)) : List.of());
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

  /** Returns the keys of the claimed unique values, in the order of operations. */
  List<byte[]> claims() {
    return claims.keySet().stream().map(BatchPlan::bytes).toList();
  }

  boolean writes() {
    return items.values().stream().anyMatch(item -> item.changed);
  }

  @Override
  public int created() {
    return (int) items.values().stream().filter(item -> item.exists && item.stored == null).count();
  }

  @Override
  public ItemCommit changes(List<Long> docIds, List<FoundItem> expiredHolders, KvLimits limits) {
    ItemCommit commit = new ItemCommit(metadata, limits);
    commit.release(owned);
    Set<Long> removed = new HashSet<>();
    for (FoundItem gone : expired) {
      if (removed.add(gone.docId())) {
        commit.expire(gone);
      }
    }
    for (FoundItem gone : expiredHolders) {
      if (removed.add(gone.docId())) {
        commit.expire(gone);
      }
    }
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
        if (stored == null) {
          commit.create(item.identity, docIds.get(used++), document, item.indexed, second);
        } else {
          commit.replace(stored, document, item.indexed, second);
        }
      }
    }
    Set<ByteBuffer> undone = new LinkedHashSet<>(claims.keySet()); // by later operations
    commit.claims().forEach(claimed -> undone.remove(ByteBuffer.wrap(claimed)));
    undone.forEach(claimed -> commit.claim(bytes(claimed)));
    return commit;
  }

  /** Returns the result of a batch that writes nothing. */
  BatchResult<ObjectNode> result() {
    return result(snapshot);
  }

  @Override
  public BatchResult<ObjectNode> result(Versionstamp version) {
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

  @Override
  public DocumentException tooLarge(KvException e) {
    return new DocumentException(
        DocumentErrorCode.LIMIT_EXCEEDED,
        "the batch with its index entries does not fit into one commit of this store: "
            + e.detail(),
        e);
  }

  @Override
  public List<byte[]> claims(ItemCommit changes) {
    return claims();
  }

  @Override
  public DocumentException taken(byte[] claim, DocumentException e) {
    return new BatchException(Objects.requireNonNull(claims.get(ByteBuffer.wrap(claim))), e);
  }

  static void checkBytes(long bytes) {
    if (bytes > TransactionalBatch.MAX_BYTES) {
      throw new DocumentException(
          DocumentErrorCode.LIMIT_EXCEEDED,
          "documents of "
              + bytes
              + " bytes (expected: at most "
              + TransactionalBatch.MAX_BYTES
              + " in one batch)");
    }
  }

  static void checkStored(long bytes) {
    if (bytes > MAX_STORED) {
      throw new DocumentException(
          DocumentErrorCode.LIMIT_EXCEEDED,
          "stored items of the batch: too large (expected: at most " + MAX_STORED + " bytes)");
    }
  }

  /** Returns a key that was wrapped whole, as all are here. */
  @SuppressWarnings("ByteBufferBackingArray")
  private static byte[] bytes(ByteBuffer key) {
    return key.array();
  }
}
