package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.collection.CollectionMetadataCache;
import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.plan.IndexRef;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The reads of one query: all at one snapshot, answered on a worker, counted. Calls follow each
 * other.
 */
final class SnapshotReader {
  /**
   * Reads on the worker itself. Another thread for each costs a point query more than the reads; a
   * query that goes on lets others have the worker.
   */
  private static final int MOST_HERE = 4;

  private final KvEngine engine;
  private final KvEngine.Snapshot snapshot;
  private final Scheduler worker;
  private final EntryKeysCache indexKeys;
  private final CollectionMetadata view;
  private final Function<RangePage, @Nullable CollectionMetadata> views;
  private final long nowSeconds;
  private final @Nullable Set<String> members;
  private boolean isVerified;
  private int readsHere;
  private long entriesRead;
  private long itemsLoaded;
  private long bytesLoaded;

  /**
   * @param views what the page of a collection's record tells; null when there is none
   * @param isVerified whether the view is known to be the one of the snapshot; else this is found
   *     out with the first read
   * @param members the names of the members that are read of items, or null for all
   */
  SnapshotReader(
      KvEngine engine,
      KvEngine.Snapshot snapshot,
      Scheduler worker,
      EntryKeysCache indexKeys,
      CollectionMetadata view,
      Function<RangePage, @Nullable CollectionMetadata> views,
      boolean isVerified,
      long nowSeconds,
      @Nullable Set<String> members) {
    this.engine = engine;
    this.snapshot = snapshot;
    this.worker = worker;
    this.indexKeys = indexKeys;
    this.view = view;
    this.views = views;
    this.isVerified = isVerified;
    this.nowSeconds = nowSeconds;
    this.members = members;
  }

  /** Tells what was found out about the collection at this snapshot. */
  void confirm(CollectionMetadataCache known) {
    if (isVerified) {
      known.confirm(view, snapshot.versionstamp());
    }
  }

  CollectionMetadata view() {
    return view;
  }

  /** Returns the encoder of the keys of an index. */
  EntryKeys keysOf(IndexRef index) {
    return indexKeys.of(index);
  }

  CollectionKeys keys() {
    return view.keys();
  }

  KvEngine.Snapshot snapshot() {
    return snapshot;
  }

  long entriesRead() {
    return entriesRead;
  }

  long itemsLoaded() {
    return itemsLoaded;
  }

  long bytesLoaded() {
    return bytesLoaded;
  }

  void countEntries(int entries) {
    entriesRead += entries;
  }

  /** A page for each range, in order. Error: {@link StalePlanException}, with the first read. */
  Mono<List<RangePage>> read(List<ReadRange> ranges) {
    return read(ranges, false);
  }

  /**
   * @param some whether it may leave out the last ranges when the first have many bytes
   */
  private Mono<List<RangePage>> read(List<ReadRange> ranges, boolean some) {
    if (ranges.isEmpty()) {
      return Mono.just(List.of());
    }
    if (isVerified) {
      return readAll(ranges, some);
    }
    List<ReadRange> more = new ArrayList<>(ranges.size() + 1);
    more.add(ReadRange.point(view.recordKey()));
    more.addAll(ranges);
    return MonoFusion.map(readAll(more, some), this::verified);
  }

  private List<RangePage> verified(List<RangePage> pages) {
    CollectionMetadata seen = views.apply(pages.get(0));
    if (seen == null || !seen.versionstamp().equals(view.versionstamp())) {
      throw new StalePlanException(seen);
    }
    isVerified = true;
    return pages.subList(1, pages.size());
  }

  private Mono<List<RangePage>> readAll(List<ReadRange> ranges, boolean some) {
    List<RangePage> pages = new ArrayList<>(ranges.size());
    if (readsHere < MOST_HERE) {
      readsHere++;
      ReadResult read = engine.readHere(ranges, snapshot);
      if (read != null) {
        pages.addAll(read.pages());
      }
      if (pages.size() == ranges.size() || some && !pages.isEmpty()) {
        return Mono.just(pages);
      }
    }
    return Mono.defer(() -> engine.read(ranges.subList(pages.size(), ranges.size()), snapshot))
        .doOnNext(result -> pages.addAll(result.pages()))
        .repeat(() -> pages.size() < ranges.size() && !some)
        .then(Mono.fromSupplier(() -> pages))
        .publishOn(worker);
  }

  /**
   * Items that were loaded.
   *
   * @param items those that there are and that have not expired, in order
   * @param asked how many were looked at
   */
  record Loaded(List<Candidate> items, int asked) {}

  /** The items of the first of those numbers: as many as one read gives. */
  Mono<Loaded> loadSome(List<Candidate> candidates) {
    List<ReadRange> ranges = new ArrayList<>();
    for (Candidate candidate : candidates) {
      if (!candidate.isReady()) {
        ranges.add(ReadRange.point(keys().item(candidate.docId())));
      }
    }
    return ranges.isEmpty()
        ? Mono.just(new Loaded(candidates, candidates.size()))
        : MonoFusion.map(read(ranges, true), pages -> loaded(candidates, pages));
  }

  private Loaded loaded(List<Candidate> candidates, List<RangePage> pages) {
    List<Candidate> loaded = new ArrayList<>(candidates.size());
    int asked = 0;
    int at = 0;
    for (Candidate candidate : candidates) {
      if (candidate.isReady()) {
        loaded.add(candidate);
      } else if (at == pages.size()) {
        break;
      } else {
        List<StoredEntry> entries = pages.get(at++).entries();
        StoredItem item = entries.isEmpty() ? null : item(entries.get(0));
        if (item != null && isAlive(item)) {
          loaded.add(candidate.with(item));
        }
      }
      asked++;
    }
    return new Loaded(loaded, asked);
  }

  /** Counts it as loaded. */
  StoredItem item(StoredEntry entry) {
    StoredItem item =
        StoredItem.decode(Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp())
            .only(members);
    itemsLoaded++;
    bytesLoaded += item.size();
    return item;
  }

  boolean isAlive(StoredItem item) {
    return !item.expired(view.defaultTtl(), nowSeconds);
  }

  /**
   * Whether nothing that is stored has expired, so that entries tell about items that are there.
   */
  Mono<Boolean> nothingDue() {
    if (!view.expiryKnown()) {
      return Mono.just(false);
    }
    return read(view.due(nowSeconds, 1))
        .map(pages -> pages.stream().allMatch(page -> page.entries().isEmpty()));
  }
}
