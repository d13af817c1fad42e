package io.kvreactive.documents.internal.collection;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Stores the items of one batch of a load in order, with as few commits as possible. An item
 * changed concurrently, or in conflict with another item, is written on its own like an upsert.
 */
final class LoadBatch {
  /** Number of keys of existing items read at a time; one read returns some megabytes of them. */
  private static final int MAX_READ_KEYS = 256;

  private static final int REPLANS = 20;

  private final ItemWriter writer;
  private final BulkLoad.Single single;
  private final List<BulkLoad.LoadItem> items;
  private CollectionMetadata metadata;
  private long @Nullable [] docIds; // of existing items, else 0; null before the lookup
  private final long[] newDocIds; // document ids allocated for new items, else 0
  private int position; // items before this position are stored
  private int singlesEnd; // items before this position are written one by one
  private int replans;
  private @Nullable Versionstamp lastCommit;
  private long firstExpiry = Long.MAX_VALUE; // of the items planned so far

  /**
   * Creates a batch.
   *
   * @param items the items, at least one
   */
  LoadBatch(
      ItemWriter writer,
      CollectionMetadata metadata,
      BulkLoad.Single single,
      List<BulkLoad.LoadItem> items) {
    this.writer = writer;
    this.metadata = metadata;
    this.single = single;
    this.items = items;
    this.newDocIds = new long[items.size()];
  }

  /**
   * Emits the versionstamp of the last commit. An error names the position of its item; all items
   * before are stored.
   */
  Mono<Versionstamp> store() {
    return Mono.defer(this::step)
        .repeat(() -> position < items.size())
        .then(Mono.fromSupplier(() -> Objects.requireNonNull(lastCommit)))
        .onErrorMap(e -> items.get(position).located(e));
  }

  private Mono<Void> step() {
    if (position < singlesEnd) {
      return single
          .write(items.get(position).document())
          .retryWhen(ItemOperations.WHEN_OVERLOADED)
          .doOnNext(
              written -> {
                lastCommit = written.etag();
                position++;
              })
          .then();
    }
    long[] known = docIds;
    return known == null ? writer.metadataCache.current().flatMap(this::lookUp) : plan(known);
  }

  /** Looks up which items exist. */
  private Mono<Void> lookUp(CollectionMetadata now) {
    if (!now.record().id().equals(metadata.record().id())) {
      Arrays.fill(newDocIds, 0);
    }
    metadata = now;
    List<ReadRange> ids = new ArrayList<>();
    try {
      for (BulkLoad.LoadItem item : items.subList(position, items.size())) {
        ItemIdentity identity = ItemIdentity.of(item.document().tree(), metadata);
        ids.add(ReadRange.point(identity.key(metadata)));
      }
    } catch (DocumentException e) { // not valid in a replaced collection
      return oneByOne(items.size());
    }
    long[] found = new long[items.size()];
    int[] next = {position};
    return ItemReader.pages(writer.engine, writer.worker, ids, null)
        .doOnNext(page -> found[next[0]++] = ItemReader.docIdAt(page))
        .then()
        .doOnSuccess(done -> docIds = found);
  }

  /** Reads the next existing items that are replaced, and commits some items. */
  private Mono<Void> plan(long[] known) {
    List<ReadRange> reads = new ArrayList<>();
    int end = position;
    while (end < known.length && reads.size() < MAX_READ_KEYS) {
      if (known[end] != ItemReader.NO_DOC_ID) {
        ItemReader.addRanges(metadata, known[end], reads);
      }
      end++;
    }
    int to = end;
    return reads.isEmpty()
        ? commitNext(known, to, List.of())
        : writer
            .engine
            .read(reads, null)
            .publishOn(writer.worker)
            .flatMap(read -> commitNext(known, to, read.pages()));
  }

  /** Commits as many of the next items as fit, or schedules the first item for a single write. */
  private Mono<Void> commitNext(long[] known, int end, List<RangePage> pages) {
    ItemBatchCommit pack = new ItemBatchCommit(writer.engine.limits());
    int existing = 0;
    int next = position;
    while (next < end) {
      FoundItem old = null;
      if (known[next] != ItemReader.NO_DOC_ID) {
        old = ItemReader.found(metadata, known[next], pages, existing++);
        if (old == null || writer.isExpired(metadata, old.item())) {
          break; // not read yet, removed, or in conflict
        }
      } else if (newDocIds[next] == 0) {
        Long docId = writer.blocks(metadata).poll();
        if (docId == null && pack.isEmpty()) {
          return docId();
        }
        if (docId == null) {
          break;
        }
        newDocIds[next] = docId;
      }
      if (!add(pack, next, old)) {
        break;
      }
      next++;
    }
    return pack.isEmpty() ? oneByOne(position + 1) : commit(pack.build(), next);
  }

  /** Schedules the next items, up to a position, for single writes. */
  private Mono<Void> oneByOne(int to) {
    singlesEnd = to;
    return Mono.empty();
  }

  private boolean add(ItemBatchCommit pack, int index, @Nullable FoundItem old) {
    Document document = items.get(index).document();
    boolean indexed = metadata.definition().indexingPolicy().automatic();
    long second = writer.now();
    ItemCommit commit = new ItemCommit(metadata, writer.engine.limits());
    try {
      if (old == null) {
        ItemIdentity identity = ItemIdentity.of(document.tree(), metadata);
        commit.create(identity, newDocIds[index], document, indexed, second);
      } else {
        commit.replace(old, document, indexed, second);
      }
    } catch (DocumentException e) {
      if (pack.isEmpty()) {
        throw e;
      }
      return false; // the items before this one are stored first
    }
    if (!pack.add(commit.build())) {
      return false;
    }
    firstExpiry = Math.min(firstExpiry, commit.firstExpiry());
    return true;
  }

  private Mono<Void> docId() {
    return writer
        .blocks(metadata)
        .take(metadata)
        .publishOn(writer.worker)
        .doOnNext(docId -> newDocIds[position] = docId)
        .hasElement()
        .flatMap(had -> had ? Mono.empty() : replan());
  }

  /** Plans again after the collection's metadata has changed. */
  private Mono<Void> replan() {
    docIds = null;
    return writer.metadataCache.refresh().then();
  }

  private Mono<Void> commit(Commit commit, int to) {
    return writer
        .commit(commit, firstExpiry)
        .retryWhen(ItemOperations.WHEN_OVERLOADED)
        .flatMap(
            result -> {
              if (result.committed()) {
                lastCommit = result.versionstamp();
                position = to;
                return Mono.<Void>empty();
              }
              return result.failedChecks().contains(ItemCommit.RECORD_CHECK) && replans++ < REPLANS
                  ? replan()
                  : oneByOne(to);
            })
        .onErrorResume(
            e -> KvError.is(e, KvErrorCode.LIMIT_EXCEEDED),
            e -> oneByOne(to)); // to find the item in conflict
  }
}
