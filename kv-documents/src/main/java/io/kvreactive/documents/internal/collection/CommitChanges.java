package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The item changes of one commit, decoded from the changes of keys. Items are parsed on demand. */
final class CommitChanges {
  private static final int DELETE_BYTES = 100;

  private final CommittedChanges commit;
  private final List<One> changes;
  private final boolean previous;

  private CommitChanges(CommittedChanges commit, List<One> changes, boolean previous) {
    this.commit = commit;
    this.changes = changes;
    this.previous = previous;
  }

  /** The change of one item. Not thread-safe. */
  static final class One {
    private final CollectionMetadata metadata;
    private final int ordinal;
    private final byte[] key;
    private final @Nullable StoredItem item;
    private @Nullable StoredItem previous;
    private final boolean isExpired;
    private @Nullable ItemIdentity identity; // known for deletes

    private One(
        CollectionMetadata metadata,
        int ordinal,
        byte[] key,
        @Nullable StoredItem item,
        @Nullable StoredItem previous,
        @Nullable ItemIdentity identity,
        boolean isExpired) {
      this.metadata = metadata;
      this.ordinal = ordinal;
      this.key = key;
      this.item = item;
      this.previous = previous;
      this.identity = identity;
      this.isExpired = isExpired;
    }

    /** Returns the number of changes of the commit before this one. */
    int ordinal() {
      return ordinal;
    }

    /** Returns the key of the item; empty for a delete. */
    byte[] key() {
      return key;
    }

    boolean isDelete() {
      return item == null;
    }

    int bytes() {
      return DELETE_BYTES
          + (item == null ? 0 : item.size())
          + (previous == null ? 0 : previous.size());
    }

    ItemIdentity identity() {
      ItemIdentity known = identity;
      if (known == null) {
        StoredItem changedItem = item;
        if (changedItem == null) {
          throw new IllegalStateException("a delete without an identity");
        }
        known = ItemIdentity.of(changedItem.indexable(metadata.identityMembers()), metadata);
        identity = known;
      }
      return known;
    }

    private Change<ObjectNode> change(boolean withPrevious) {
      StoredItem old = withPrevious ? previous : null;
      Item<ObjectNode> before = old == null ? null : ItemOperations.item(old);
      return item == null
          ? new Change.Delete<>(identity().id(), identity().partitionKey(), before, isExpired)
          : new Change.Upsert<>(ItemOperations.item(item), before);
    }
  }

  /**
   * Decodes a commit. Removals are recorded in the same commit; deletions without such a record
   * mean that the collection is being cleared.
   *
   * @throws io.kvreactive.documents.DocumentException COLLECTION_NOT_FOUND
   */
  static CommitChanges decode(CollectionMetadata metadata, CommittedChanges commit) {
    List<One> changes = new ArrayList<>();
    byte[] recordKey = metadata.keys().deleted();
    Map<Long, StoredChange> removed = Map.of();
    JsonNode records = null;
    for (StoredChange change : commit.changes()) { // the record follows all items
      if (Arrays.equals(change.key(), recordKey)) {
        records = change.value() == null ? null : Json.parse(change.value().bytes());
      } else if (change.value() == null && change.end() == null && change.oldValue() != null) {
        removed = removed.isEmpty() ? new HashMap<>() : removed;
        removed.put(metadata.keys().docIdOfItem(change.key()), change);
      }
    }
    if (records != null) { // before the item that replaces an expired one
      for (JsonNode record : records) {
        changes.add(deleted(metadata, changes.size(), record, removed));
      }
    }
    for (StoredChange change : commit.changes()) {
      if (change.value() != null && !Arrays.equals(change.key(), recordKey)) {
        changes.add(
            new One(
                metadata,
                changes.size(),
                change.key(),
                StoredItem.decode(change.value().bytes(), commit.versionstamp()),
                previous(change),
                null,
                false));
      }
    }
    if (changes.isEmpty() && !commit.changes().isEmpty()) {
      throw CollectionMetadataCache.notFound(metadata.name());
    }
    return new CommitChanges(commit, changes, false);
  }

  private static One deleted(
      CollectionMetadata metadata, int ordinal, JsonNode record, Map<Long, StoredChange> removed) {
    List<JsonNode> partition = new ArrayList<>();
    record.path("partition").forEach(partition::add);
    StoredChange change = removed.get(record.path("docId").longValue());
    return new One(
        metadata,
        ordinal,
        new byte[0],
        null,
        change == null ? null : previous(change),
        new ItemIdentity(partition, record.path("id").asText()),
        record.path("expired").asBoolean());
  }

  private static @Nullable StoredItem previous(StoredChange change) {
    return change.oldValue() == null || change.oldVersionstamp() == null
        ? null
        : StoredItem.decode(change.oldValue().bytes(), change.oldVersionstamp());
  }

  Versionstamp versionstamp() {
    return commit.versionstamp();
  }

  List<One> changes() {
    return changes;
  }

  boolean isNotEmpty() {
    return !changes.isEmpty();
  }

  /** Returns the number of changes of the commit, selected or not. */
  int scanned() {
    return commit.changes().size();
  }

  /** Returns the bytes of all values of the commit, selected or not. */
  long scannedBytes() {
    long bytes = 0;
    for (StoredChange change : commit.changes()) {
      bytes += change.value() == null ? 0 : change.value().bytes().length;
      bytes += change.oldValue() == null ? 0 : change.oldValue().bytes().length;
    }
    return bytes;
  }

  long bytes() {
    return changes.stream().mapToLong(One::bytes).sum();
  }

  /**
   * Returns some of the changes.
   *
   * @param withPrevious true to emit previous versions that are known
   */
  CommitChanges select(Predicate<One> selected, boolean withPrevious) {
    return new CommitChanges(commit, changes.stream().filter(selected).toList(), withPrevious);
  }

  /** Returns some of the changes. */
  CommitChanges only(Predicate<One> selected) {
    return select(selected, previous);
  }

  ItemChanges<ObjectNode> toItems() {
    return new ItemChanges<>(
        commit.versionstamp(),
        Instant.ofEpochMilli(commit.millis()),
        changes.stream().map(one -> one.change(previous)).toList());
  }
}
