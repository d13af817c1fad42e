package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.collection.ItemCommit;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.layout.KeyDiff;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Changes the definition and the indexes of a small collection in one commit. */
final class InlineChange {
  /** Maximum number of items; larger collections are changed in the background. */
  static final int MAX_ITEMS = 200;

  private static final int MAX_MUTATIONS = 20_000;

  /** Position of the range check, after the checks of the record and of the work. */
  private static final int RANGE_CHECK = 2;

  private final KvEngine engine;
  private final Scheduler worker;
  private final String root;
  private final IndexWork work;

  InlineChange(KvEngine engine, Scheduler worker, String root, IndexWork work) {
    this.engine = engine;
    this.worker = worker;
    this.root = root;
    this.work = work;
  }

  /**
   * Emits true when the change is done. Completes empty if the change is left to the background.
   * Error: {@link IndexWork.Stale}.
   */
  Mono<Boolean> run(CollectionRecord planned) {
    CollectionMetadata metadata = work.metadata();
    if (!metadata.record().builds().isEmpty() || !metadata.record().drops().isEmpty()) {
      return Mono.empty();
    }
    ReadRange items =
        new ReadRange(
            metadata.keys().itemsStart(), metadata.keys().itemsEnd(), MAX_ITEMS + 1, false, false);
    // without pending indexing, the entries match the items as long as the items do not change
    return engine
        .read(List.of(metadata.keys().pendingFrom(1, 1), items), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              RangePage page = read.pages().get(read.pages().size() - 1);
              return read.pages().size() < 2
                      || !read.pages().get(0).entries().isEmpty()
                      || !page.isLast()
                      || page.entries().size() > MAX_ITEMS
                  ? Mono.empty()
                  : commit(planned, page.entries(), items, read.snapshot());
            });
  }

  private Mono<Boolean> commit(
      CollectionRecord planned, List<StoredEntry> items, ReadRange range, Versionstamp read) {
    CollectionMetadata old = work.metadata();
    CollectionRecord done = planned.with(List.of(), List.of(), List.of());
    CollectionMetadata changed = new CollectionMetadata(root, old.name(), done, old.versionstamp());
    List<StoredVectorIndex> vectors = changed.writeLayout().vectors();
    if (!old.writeLayout().vectors().containsAll(vectors)
        || done.entriesNumber() != old.record().entriesNumber() && !vectors.isEmpty()) {
      return Mono.empty(); // entries with values are written in the background
    }
    List<Mutation> mutations = new ArrayList<>();
    for (StoredEntry entry : items) {
      KeyDiff diff = KeyDiff.between(keys(old, entry), keys(changed, entry));
      diff.deleted().forEach(key -> mutations.add(new Mutation.Delete(key)));
      diff.added().forEach(key -> mutations.add(new Mutation.Set(key, ItemCommit.NOTHING)));
      if (mutations.size() > Math.min(MAX_MUTATIONS, engine.limits().maxMutations() - 2)) {
        return Mono.empty();
      }
    }
    IndexWorkRecord moved = work.record().with("", engine.now(), java.util.Map.of(), done);
    mutations.add(new Mutation.Set(old.keys().job(), moved.encode()));
    mutations.add(new Mutation.Set(old.recordKey(), done.encode()));
    Commit commit =
        new Commit(
            List.of(
                new Check(old.recordKey(), old.versionstamp()),
                new Check(old.keys().job(), work.at())),
            List.of(new RangeCheck(range.start(), range.end(), read, 0)),
            mutations,
            List.of(),
            null);
    return engine
        .commit(commit)
        .flatMap(
            result ->
                result.committed()
                    ? Mono.just(true)
                    : result.failedChecks().stream().anyMatch(failed -> failed < RANGE_CHECK)
                        ? Mono.<Boolean>error(new IndexWork.Stale())
                        : Mono.empty()) // items were written concurrently
        .onErrorResume(
            KvException.class,
            e ->
                e.code() == KvErrorCode.UNSUPPORTED || e.code() == KvErrorCode.LIMIT_EXCEEDED
                    ? Mono.empty()
                    : Mono.error(e));
  }

  /** Returns all keys of an item's entries and expiry, in order. */
  private static List<byte[]> keys(CollectionMetadata metadata, StoredEntry entry) {
    StoredItem item = StoredItem.decode(entry);
    long docId = metadata.keys().docIdOfItem(entry.key());
    var document = item.indexable();
    List<byte[]> keys = new ArrayList<>();
    if (item.indexed()) {
      ItemEntries.of(metadata.writeLayout(), document, docId)
          .keys()
          .forEach(raw -> keys.add(metadata.keys().entry(raw)));
    }
    byte[] expiry = ItemCommit.expiryKey(metadata, docId, document, item.timestamp());
    if (expiry != null) {
      keys.add(expiry); // space X follows space E
    }
    return keys;
  }
}
