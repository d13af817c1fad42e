package io.kvreactive.documents.internal.collection;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.layout.KeyDiff;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.ExpiryKind;
import io.kvreactive.documents.internal.store.PendingIndexing;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds the commit of changes to items. All keys of an item change together, unchanged entries are
 * not touched, and the commit fails if the collection's metadata has changed. New keys and index
 * entries, which have no watchers, are set without a check; these are most of the cost of a write.
 */
public final class ItemCommit {
  /** Position of the check of the collection's record, which is the first check. */
  static final int RECORD_CHECK = 0;

  /** Order by key. Sorted runs of distinct keys cost a store less than keys in any order. */
  public static final Comparator<Mutation> BY_KEY =
      (one, other) -> {
        checkpoint();
        return Arrays.compareUnsigned(one.key(), other.key());
      };

  /** A value without bytes. */
  public static final KvValue NOTHING = new KvValue(KvValue.Encoding.BYTES, new byte[0]);

  private final CollectionMetadata metadata;
  private final CollectionKeys keys;
  private final KvLimits limits;
  private final List<Check> checks = new ArrayList<>();
  private final List<Mutation> deletes = new ArrayList<>();
  private final List<Mutation> puts = new ArrayList<>();
  private final ArrayNode deleted = JsonNodeFactory.instance.arrayNode();
  private final Set<ByteBuffer> freed = new HashSet<>();
  private final List<byte[]> claims = new ArrayList<>();
  private long firstExpiry = Long.MAX_VALUE;

  public ItemCommit(CollectionMetadata metadata, KvLimits limits) {
    this.metadata = metadata;
    this.keys = metadata.keys();
    this.limits = limits;
    checks.add(new Check(metadata.recordKey(), metadata.versionstamp()));
  }

  /** The index entries, unique keys and expiry key of one form of an item. */
  private record Keys(List<byte[]> entries, List<byte[]> unique, byte @Nullable [] expiry) {
    static final Keys NONE = new Keys(List.of(), List.of(), null);
  }

  /**
   * Stores a new item, whose id and unique values must be free.
   *
   * @throws DocumentException ITEM_TOO_LARGE, as by {@link #replace}
   */
  void create(ItemIdentity identity, long docId, Document document, boolean indexed, long second) {
    byte[] idKey = identity.key(metadata);
    take(idKey, docId);
    if (metadata.defersEntries() && indexed) {
      puts.add(new Mutation.Set(keys.pending(docId), PendingIndexing.encode(null)));
    }
    put(docId, null, document, indexed, second);
  }

  /**
   * Adds the keys of unique values that stored items of this commit have. They are free for other
   * items of the commit.
   */
  void release(Set<ByteBuffer> uniqueKeys) {
    freed.addAll(uniqueKeys);
  }

  /** Requires that an item has not changed since it was read. */
  void checkUnchanged(FoundItem read) {
    checks.add(new Check(keys.item(read.docId()), read.item().etag()));
  }

  /** Requires that a key of an id or of unique values is free. */
  void checkAbsent(byte[] key) {
    if (!isFreed(key)) {
      checks.add(new Check(key, null));
    }
  }

  /** Sets a key of an id or of unique values, which must be free, to the item that has it. */
  private void take(byte[] key, long docId) {
    boolean isFreed = isFreed(key);
    if (!isFreed) {
      checks.add(new Check(key, null)); // no second lookup is needed
    }
    puts.add(new Mutation.Set(key, ItemReader.docIdValue(docId), 0, !isFreed));
  }

  /** Requires that no other item has the unique values of a key. */
  void claim(byte[] uniqueKey) {
    claims.add(uniqueKey);
    checkAbsent(uniqueKey);
  }

  /** Returns the keys of the claimed unique values, checked or freed. */
  List<byte[]> claims() {
    return claims;
  }

  /**
   * Replaces an item, which must not have changed since it was read, and whose new unique values
   * must be free.
   *
   * @throws DocumentException ITEM_TOO_LARGE if the entries are left to the background indexer,
   *     which could not write them in one commit
   */
  void replace(FoundItem old, Document document, boolean indexed, long second) {
    checks.add(new Check(keys.item(old.docId()), old.item().etag()));
    pending(old, indexed);
    put(old.docId(), stored(old), document, indexed, second);
  }

  /** Removes an item, which must not have changed since it was read. */
  void remove(FoundItem old) {
    var unused = removed(old);
  }

  /** Removes an expired item, which must not have changed since it was read. */
  public void expire(FoundItem old) {
    removed(old).put("expired", true);
  }

  /** Removes an item and returns the record of it, from which change feeds emit the delete. */
  private ObjectNode removed(FoundItem old) {
    checks.add(new Check(keys.item(old.docId()), old.item().etag()));
    pending(old, false);
    Keys gone = stored(old);
    ItemIdentity identity = ItemIdentity.of(old.item().document(), metadata);
    byte[] idKey = identity.key(metadata);
    freed.add(ByteBuffer.wrap(idKey));
    gone.unique().forEach(key -> freed.add(ByteBuffer.wrap(key)));
    delete(keys.item(old.docId()));
    delete(idKey);
    gone.entries().forEach(entry -> delete(keys.entry(entry)));
    VectorMarks.add(metadata, gone.entries(), puts);
    gone.unique().forEach(this::delete);
    if (gone.expiry() != null) {
      delete(gone.expiry());
    }
    ObjectNode record = deleted.addObject().put("id", identity.id()).put("docId", old.docId());
    identity.partition().forEach(record.withArray("partition")::add);
    return record;
  }

  /**
   * Updates the record of pending indexing. If indexing is left to the background, the indexed form
   * of the item is kept, unless it is kept already. Otherwise this commit completes the item's
   * pending indexing.
   */
  private void pending(FoundItem old, boolean indexed) {
    if (!metadata.mayLag()) {
      return;
    }
    byte[] key = keys.pending(old.docId());
    PendingIndexing known = old.pending();
    checks.add(new Check(key, known == null ? null : known.versionstamp()));
    boolean none = known != null && known.indexed() == null && !indexed;
    if (known != null && (none || !metadata.defersEntries())) {
      delete(key);
    }
    if (known == null && metadata.defersEntries() && (indexed || old.item().indexed())) {
      puts.add(new Mutation.Set(key, PendingIndexing.encode(old.item())));
    }
  }

  private void checkDeferred(List<byte[]> deferred) {
    long bytes = deferred.stream().mapToLong(entry -> keys.entry(entry).length).sum();
    if (deferred.size() + 1 > limits.maxMutations() || bytes > limits.maxCommitKeyBytes()) {
      throw new DocumentException(
          DocumentErrorCode.ITEM_TOO_LARGE,
          "an item with "
              + deferred.size()
              + " index entries of "
              + bytes
              + " bytes (expected: as many as fit into one commit of this store)");
    }
  }

  private void delete(byte[] key) {
    checkpoint();
    deletes.add(new Mutation.Delete(key));
  }

  private boolean isFreed(byte[] key) {
    return freed.contains(ByteBuffer.wrap(key));
  }

  private void put(
      long docId, @Nullable Keys old, Document document, boolean indexed, long second) {
    Keys before = old == null ? Keys.NONE : old;
    Keys after;
    List<Mutation> added = new ArrayList<>();
    ObjectNode indexable = document.tree().put(StoredItem.TS, second); // a copy would cost more
    try {
      List<byte[]> addedKeys =
          indexed ? ItemEntries.of(metadata.writeLayout(), indexable, docId).keys() : List.of();
      after = keys(docId, indexable, addedKeys, second);
      entries(before, after, indexable, added);
    } finally {
      indexable.remove(StoredItem.TS);
    }
    puts.add(
        new Mutation.Set(
            keys.item(docId), StoredItem.encode(document.json(), second, indexed), 0, old == null));
    puts.addAll(added);
    expiry(before.expiry(), after.expiry());
    firstExpiry =
        Math.min(firstExpiry, StoredItem.expiresAt(metadata.defaultTtl(), document.tree(), second));
    unique(docId, before.unique(), after.unique());
  }

  private void entries(Keys before, Keys after, JsonNode indexable, List<Mutation> added) {
    if (metadata.defersEntries()) {
      checkDeferred(after.entries());
      return;
    }
    KeyDiff diff = KeyDiff.between(before.entries(), after.entries());
    diff.deleted().forEach(entry -> delete(keys.entry(entry)));
    // during an index build an item may lack entries of its former version
    List<byte[]> put = metadata.building() ? after.entries() : diff.added();
    VectorMarks.add(metadata, diff.deleted(), added);
    VectorMarks.add(metadata, put, added);
    for (byte[] entry : put) {
      checkpoint();
      KvValue value = EntryValues.of(metadata.writeLayout(), entry, indexable);
      added.add(Mutation.Set.blind(keys.entry(entry), value));
    }
  }

  private void expiry(byte @Nullable [] before, byte @Nullable [] after) {
    boolean same = before != null && Arrays.equals(before, after);
    if (before != null && !same) {
      delete(before);
    }
    if (after != null && (!same || metadata.building())) {
      puts.add(Mutation.Set.blind(after, NOTHING));
    }
  }

  /**
   * Updates the unique keys. They are in the order of the definition, so that equal keys have equal
   * positions.
   */
  private void unique(long docId, List<byte[]> before, List<byte[]> after) {
    for (int i = 0; i < after.size(); i++) {
      byte[] key = after.get(i);
      if (i < before.size() && Arrays.equals(before.get(i), key)) {
        continue;
      }
      if (i < before.size()) {
        delete(before.get(i));
      }
      claims.add(key);
      take(key, docId);
    }
  }

  /**
   * Returns the keys of a stored item, without index entries if indexing is left to the background.
   */
  private Keys stored(FoundItem old) {
    ObjectNode indexable = old.item().indexable();
    StoredItem indexed = metadata.defersEntries() ? null : old.indexed();
    List<byte[]> entries =
        indexed == null
            ? List.of()
            : storedEntries(
                metadata,
                old.docId(),
                indexed,
                indexed == old.item() ? indexable : indexed.indexable());
    return keys(old.docId(), indexable, entries, old.item().timestamp());
  }

  /** Returns the index entries that a stored item may have, in key order. */
  public static List<byte[]> storedEntries(
      CollectionMetadata metadata, long docId, StoredItem item, ObjectNode indexable) {
    if (!item.indexed()) {
      return List.of();
    }
    List<byte[]> entries = ItemEntries.stored(metadata.writeLayout(), indexable, docId);
    for (IndexLayout layout : metadata.deleteLayouts()) {
      entries = KeyDiff.union(entries, rangeEntries(layout, indexable, docId));
    }
    return entries;
  }

  private Keys keys(long docId, ObjectNode indexable, List<byte[]> entries, long second) {
    List<byte[]> unique = new ArrayList<>();
    ItemEntries.unique(metadata.writeLayout(), indexable)
        .forEach(entry -> unique.add(keys.unique(entry.key())));
    return new Keys(entries, unique, expiryKey(metadata, docId, indexable, second));
  }

  /** Returns the range entries that an item may have by a layout. */
  public static List<byte[]> rangeEntries(IndexLayout layout, JsonNode indexable, long docId) {
    return ItemEntries.stored(layout, indexable, docId).stream()
        .filter(key -> key[0] == 'R')
        .toList();
  }

  /** Returns the key of an item's expiry entry, or null if the item does not expire. */
  public static byte @Nullable [] expiryKey(
      CollectionMetadata metadata, long docId, JsonNode document, long second) {
    if (metadata.defaultTtl() == null) {
      return null;
    }
    Integer own = StoredItem.ttl(document);
    if (own == null) {
      return metadata.keys().expiry(ExpiryKind.WRITTEN, second, docId);
    }
    return own < 0 ? null : metadata.keys().expiry(ExpiryKind.EXPIRES, second + own, docId);
  }

  /** Returns the first second at which a stored item expires; {@code Long.MAX_VALUE} for never. */
  long firstExpiry() {
    return firstExpiry;
  }

  public Commit build() {
    List<Mutation> all = new ArrayList<>(deletes.size() + puts.size() + 1);
    all.addAll(deletes);
    all.addAll(puts);
    if (!deleted.isEmpty()) {
      all.add(
          new Mutation.Set(
              keys.deleted(), new KvValue(KvValue.Encoding.BYTES, Json.write(deleted))));
    }
    all.sort(BY_KEY); // the sort is stable: a key that is deleted and put stays in that order
    return new Commit(checks, all);
  }
}
