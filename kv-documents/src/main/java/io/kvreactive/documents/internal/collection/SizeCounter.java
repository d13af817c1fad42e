package io.kvreactive.documents.internal.collection;

import io.kvreactive.documents.CollectionSizes;
import io.kvreactive.documents.CollectionSizes.IndexSize;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CachedNeighborIndex;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Counts the sizes of a collection by reading all of its keys at one version. Counters kept by
 * writes would make every write more expensive. Memory is bounded for any number of paths: the
 * entries of a path are adjacent, so that only the largest of the finished paths are kept.
 */
public final class SizeCounter {
  private static final int PAGE = 1000;
  private static final int RANGE_PREFIX = 9;
  private static final int NUMBER_PREFIX = 5;
  private static final String FURTHER = "range:*";

  private final KvEngine engine;
  private final Scheduler worker;
  private final String root;
  private final CollectionMetadataCache metadataCache;
  private final NeighborIndexCache neighbors;

  public SizeCounter(
      KvEngine engine,
      Scheduler worker,
      String root,
      CollectionMetadataCache metadataCache,
      NeighborIndexCache neighbors) {
    this.neighbors = neighbors;
    this.engine = engine;
    this.worker = worker;
    this.root = root;
    this.metadataCache = metadataCache;
  }

  public Mono<CollectionSizes> count() {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                Mono.usingWhen(
                    engine.snapshot(),
                    snapshot -> new Count(metadata, snapshot).run(),
                    snapshot -> Mono.fromRunnable(snapshot::close)));
  }

  private static final class Sum {
    long entries;
    long bytes;

    void add(StoredEntry entry) {
      entries++;
      bytes += entry.key().length + (entry.value() == null ? 0 : entry.value().bytes().length);
    }

    void add(Sum other) {
      entries += other.entries;
      bytes += other.bytes;
    }
  }

  /** The sum of the entries of one path. */
  private static final class PathSum {
    final ByteBuffer prefix;
    final Sum sum = new Sum();
    String text = ""; // empty until an item with the path is read

    PathSum(ByteBuffer prefix) {
      this.prefix = prefix;
    }

    long bytes() {
      return sum.bytes;
    }
  }

  private final class Count {
    private final CollectionMetadata metadata;
    private final KvEngine.Snapshot snapshot;
    private final Map<ByteBuffer, Sum> byNumber = new HashMap<>(); // composite and tuple
    private final PriorityQueue<PathSum> largest =
        new PriorityQueue<>(Comparator.comparingLong(PathSum::bytes));
    private final Map<ByteBuffer, PathSum> unnamed = new HashMap<>(); // of the largest paths
    private final Sum further = new Sum();
    private long furtherPaths;
    private @Nullable PathSum current;
    private final Sum items = new Sum();
    private final Sum ids = new Sum();
    private final Sum uniques = new Sum();
    private final Sum expiries = new Sum();
    private final Sum pending = new Sum();
    private final Sum vectors = new Sum();
    private final Sum dropped = new Sum();

    Count(CollectionMetadata metadata, KvEngine.Snapshot snapshot) {
      this.metadata = metadata;
      this.snapshot = snapshot;
    }

    Mono<CollectionSizes> run() {
      CollectionKeys keys = metadata.keys();
      Mono<Void> whole =
          forEachEntry(keys.entriesStart(), keys.entriesEnd(), this::entry)
              .then(Mono.<Void>fromRunnable(this::paths))
              .then(forEachEntry(keys.itemsStart(), keys.itemsEnd(), this::item))
              .then(forEachEntry(keys.idsStart(), keys.idsEnd(), ids::add))
              .then(forEachEntry(keys.uniquesStart(), keys.uniquesEnd(), uniques::add))
              .then(forEachEntry(keys.expiriesStart(), keys.expiriesEnd(), expiries::add))
              .then(forEachEntry(keys.pendingStart(), keys.pendingEnd(), pending::add))
              .then(forEachEntry(keys.vectorsStart(), keys.entriesAndPendingEnd(), vectors::add));
      for (CollectionRecord.Drop drop : metadata.record().drops()) {
        CollectionKeys old =
            new CollectionKeys(root, metadata.record().id(), drop.number(), drop.number());
        switch (drop.space()) {
          case ENTRIES ->
              whole =
                  whole.then(
                      forEachEntry(old.entriesStart(), old.entriesAndPendingEnd(), dropped::add));
          case EXPIRIES ->
              whole =
                  whole.then(forEachEntry(old.expiriesStart(), old.expiriesEnd(), dropped::add));
          case NUMBER -> {} // counted among the index entries
        }
      }
      return whole.then(Mono.fromSupplier(this::sizes));
    }

    private Mono<Void> forEachEntry(
        byte[] start, byte[] end, java.util.function.Consumer<StoredEntry> what) {
      return engine
          .pages(new ReadRange(start, end, PAGE, false, false), snapshot)
          .publishOn(worker, 1)
          .doOnNext(page -> page.entries().forEach(what))
          .then();
    }

    private void entry(StoredEntry entry) {
      byte[] raw = metadata.keys().rawEntry(entry.key());
      if (raw[0] == 'R') {
        ByteBuffer prefix = prefix(raw, RANGE_PREFIX);
        if (current == null || !current.prefix.equals(prefix)) {
          endPath();
          current = new PathSum(prefix);
        }
        current.sum.add(entry);
      } else {
        Sum sum = byNumber.computeIfAbsent(prefix(raw, NUMBER_PREFIX), key -> new Sum());
        sum.add(entry);
        if (StoredVectorIndex.isLocator(raw)) {
          sum.entries--; // a part of the item's entry
        }
      }
    }

    private static ByteBuffer prefix(byte[] raw, int length) {
      return ByteBuffer.wrap(Arrays.copyOf(raw, Math.min(raw.length, length)));
    }

    /** Ends the current path, all of whose entries have been read. */
    private void endPath() {
      if (current != null) {
        largest.add(current);
      }
      if (largest.size() > CollectionSizes.MAX_PATHS) {
        further.add(largest.remove().sum);
        furtherPaths++;
      }
    }

    private void paths() {
      endPath();
      current = null;
      largest.forEach(path -> unnamed.put(path.prefix, path));
    }

    /**
     * Resolves path names. Keys of range entries hold a hash of their path; an item with such
     * entries names the path.
     */
    private void item(StoredEntry entry) {
      items.add(entry);
      if (unnamed.isEmpty()) {
        return;
      }
      StoredItem item = StoredItem.decode(entry);
      if (!item.indexed()) {
        return;
      }
      ItemEntries.pathsOf(metadata.writeLayout(), item.indexable())
          .forEach(
              (text, prefix) -> {
                PathSum path = unnamed.remove(ByteBuffer.wrap(prefix));
                if (path != null) {
                  path.text = text;
                }
              });
    }

    private CollectionSizes sizes() {
      Sum reclaimable = dropped;
      List<IndexSize> indexes = new ArrayList<>();
      for (PathSum path : largest) {
        if (path.text.isEmpty()) {
          reclaimable.add(path.sum);
        } else {
          indexes.add(size("range:" + path.text + "/?", path.sum));
        }
      }
      if (furtherPaths > 0) {
        indexes.add(size(FURTHER, further));
      }
      byNumber.forEach(
          (prefix, sum) -> {
            String name = name(prefix);
            if (name.isEmpty()) {
              reclaimable.add(sum);
            } else {
              indexes.add(numbered(name, metadata.record().nameOf(number(prefix)), sum));
            }
          });
      if (!metadata.writeLayout().uniqueKeys().isEmpty()) {
        indexes.add(size("unique", uniques));
      }
      if (metadata.mayLag()) {
        indexes.add(size(CollectionRecord.PENDING, pending));
      }
      if (vectors.entries > 0) {
        indexes.add(size("vectors", vectors));
      }
      if (metadata.defaultTtl() != null) {
        indexes.add(size(CollectionRecord.TTL, expiries));
      }
      indexes.sort(Comparator.comparing(IndexSize::index));
      return new CollectionSizes(
          items.entries,
          items.bytes + ids.bytes,
          indexes.stream().mapToLong(IndexSize::bytes).sum(),
          reclaimable.bytes,
          indexes,
          furtherPaths);
    }

    private static IndexSize size(String index, Sum sum) {
      return new IndexSize(index, sum.entries, sum.bytes, null);
    }

    private IndexSize numbered(String name, @Nullable String definition, Sum sum) {
      for (StoredVectorIndex index : metadata.writeLayout().vectors()) {
        if (index.isApproximate() && IndexAvailability.vector(index.number()).equals(name)) {
          CachedNeighborIndex found = neighbors.find(NeighborIndexCache.Key.of(metadata, index));
          return new IndexSize(
              name,
              sum.entries,
              sum.bytes,
              found == null ? 0 : found.memoryBytes(),
              found == null ? 0 : found.size(),
              found != null && found.isReady(),
              definition);
        }
      }
      return new IndexSize(name, sum.entries, sum.bytes, definition);
    }

    private String terms(int number) {
      return metadata.writeLayout().terms().stream()
          .filter(index -> index.number() == number)
          .map(IndexAvailability::terms)
          .findFirst()
          .orElse("");
    }

    private static int number(ByteBuffer prefix) {
      return prefix.getInt(1) ^ Integer.MIN_VALUE;
    }

    /** Returns the name of a path, or an empty text for an index that is being removed. */
    private String name(ByteBuffer prefix) {
      int number = number(prefix);
      String name =
          switch (prefix.get(0)) {
            case 'C' -> IndexAvailability.composite(number);
            case 'T' -> IndexAvailability.tuple(number);
            case 'V' -> IndexAvailability.vector(number);
            default -> terms(number);
          };
      boolean kept = Objects.requireNonNull(metadata.record().numbers()).containsValue(number);
      return kept ? name : "";
    }
  }
}
