package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.collection.EntryValues;
import io.kvreactive.documents.internal.collection.ItemCommit;
import io.kvreactive.documents.internal.collection.VectorMarks;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.layout.KeyDiff;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes of an index build for a run of items. Items written concurrently need no work: their
 * writers maintain all indexes.
 *
 * @param last the last document id of the run; 0 if there are no items
 * @param items the number of items in the run
 * @param work the work on the items that need changes
 * @param whole the check that nothing has changed from the first to the last item of the run; null
 *     if there are no items
 */
record BuildBatch(long last, int items, List<ItemWork> work, @Nullable RangeCheck whole) {
  private static final int MAX_BYTES = 8 << 20;

  /**
   * Size in bytes of a small item. For larger items all entries are computed, to find out whether
   * they are too many.
   */
  private static final int SMALL_ITEM = 16 << 10;

  /** Returns the size in bytes of the mutation of an index entry. */
  static long bytes(Mutation mutation) {
    int value = mutation instanceof Mutation.Set set ? set.value().bytes().length : 0;
    return 2L * mutation.key().length + value;
  }

  /** Returns the number of keys that the batch changes. */
  int keys() {
    int keys = 0;
    for (ItemWork item : work) {
      keys += item.mutations().size();
    }
    return keys;
  }

  /** The changes for one item, which must be unchanged since it was read. */
  record ItemWork(Check check, List<Mutation> mutations) {}

  /** Makes batches for some builds of a collection. */
  static final class Maker {
    private final CollectionMetadata metadata;
    private final KvLimits limits;
    private final boolean range;
    private final boolean ttl;
    private final List<byte[]> prefixes = new ArrayList<>();
    private final boolean all;
    private final @Nullable Set<String> members; // null if all members of the items are needed

    Maker(CollectionMetadata metadata, List<CollectionRecord.Build> builds, KvLimits limits) {
      this.metadata = metadata;
      this.limits = limits;
      boolean rangeToo = false;
      boolean ttlToo = false;
      for (CollectionRecord.Build build : builds) {
        switch (build.index()) {
          case CollectionRecord.RANGE -> rangeToo = true;
          case CollectionRecord.TTL -> ttlToo = true;
          default -> prefixes.add(IndexSpaces.prefix(build.index(), build.number()));
        }
      }
      this.range = rangeToo;
      this.ttl = ttlToo;
      Set<String> rows = ItemEntries.rowMembers(metadata.writeLayout(), prefixes);
      if (rows != null) {
        rows.add(StoredItem.TTL);
      }
      this.members = rangeToo ? null : rows;
      this.all = rangeToo && prefixes.size() == metadata.writeLayout().numbered();
    }

    /**
     * Makes the batch of the given items, or of the first of them if all would be too many.
     *
     * @param entries the stored items
     * @param read the version at which the items were read
     */
    BuildBatch make(List<StoredEntry> entries, Versionstamp read) {
      List<ItemWork> work = new ArrayList<>();
      int mutations = 0;
      long bytes = 0;
      int items = 0;
      long last = 0;
      for (StoredEntry entry : entries) {
        long docId = metadata.keys().docIdOfItem(entry.key());
        List<Mutation> mutationsOfItem = mutations(docId, entry);
        long more = 0;
        for (Mutation mutation : mutationsOfItem) {
          more += bytes(mutation);
        }
        boolean full =
            work.size() + 3 > limits.maxChecks()
                || mutations + mutationsOfItem.size() + 2 > limits.maxMutations()
                || bytes + more > Math.min(MAX_BYTES, limits.maxCommitKeyBytes());
        if (full && items > 0) {
          break;
        }
        if (!mutationsOfItem.isEmpty()) {
          work.add(new ItemWork(new Check(entry.key(), entry.versionstamp()), mutationsOfItem));
          mutations += mutationsOfItem.size();
          bytes += more;
        }
        items++;
        last = docId;
      }
      if (items == 0) {
        return new BuildBatch(0, 0, List.of(), null);
      }
      byte[] behind = metadata.keys().itemsFrom(last + 1);
      return new BuildBatch(
          last, items, work, new RangeCheck(entries.get(0).key(), behind, read, 0));
    }

    private List<Mutation> mutations(long docId, StoredEntry entry) {
      StoredItem item = StoredItem.decode(entry);
      if (!item.indexed() && !ttl) {
        return List.of();
      }
      List<Mutation> mutations = new ArrayList<>();
      boolean few = !range && item.size() <= SMALL_ITEM;
      Set<String> needed = few ? members : null;
      var document = needed == null ? item.indexable() : item.indexable(needed);
      if (item.indexed() && (range || !prefixes.isEmpty())) {
        List<byte[]> entries =
            few
                ? ItemEntries.rowKeys(metadata.writeLayout(), document, docId, prefixes)
                : ItemEntries.of(metadata.writeLayout(), document, docId).keys();
        if (range) {
          List<byte[]> before = List.of();
          for (IndexLayout base : metadata.deleteLayouts()) {
            before = KeyDiff.union(before, ItemCommit.rangeEntries(base, document, docId));
          }
          for (byte[] gone : KeyDiff.between(before, entries).deleted()) {
            mutations.add(new Mutation.Delete(metadata.keys().entry(gone)));
          }
        }
        VectorMarks.add(metadata, entries, mutations); // the marks of unchanged vectors do no harm
        for (byte[] key : entries) {
          if (all || few || wanted(key)) {
            KvValue value = EntryValues.of(metadata.writeLayout(), key, document);
            mutations.add(Mutation.Set.blind(metadata.keys().entry(key), value));
          }
        }
      }
      byte[] expiry =
          ttl ? ItemCommit.expiryKey(metadata, docId, document, item.timestamp()) : null;
      if (expiry != null) {
        mutations.add(Mutation.Set.blind(expiry, ItemCommit.NOTHING));
      }
      return mutations;
    }

    private boolean wanted(byte[] key) {
      if (key[0] == 'R') {
        return range;
      }
      for (byte[] prefix : prefixes) {
        if (IndexSpaces.startsWith(key, prefix)) {
          return true;
        }
      }
      return false;
    }
  }
}
