package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.eval.ComputedProperties;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.IndexRef;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads one snapshot for one query, counting entries and items. A read returns when the pages are
 * there: on a worker, which other work uses meanwhile. Calls must not overlap.
 */
final class SnapshotReader {
  /**
   * Maximum number of reads on the worker itself. Another thread for each read costs a point query
   * more than its reads; during the reads of a longer query, which may wait for the disk, others
   * must use the worker.
   */
  private static final int MAX_HERE = 4;

  /**
   * Maximum size of what one read returns. Each running query holds that much, and the items made
   * of it, and many queries take turns.
   */
  private static final long READ_BYTES = 512 << 10;

  /** Minimum number of items with successive document ids that are read as one range. */
  private static final int MIN_RUN = 4;

  private final KvEngine engine;
  private final KvEngine.Snapshot snapshot;
  private final EntryKeysCache indexKeys;
  private final CollectionMetadata metadata;
  private final Function<RangePage, @Nullable CollectionMetadata> metadataParser;
  private final long nowSeconds;
  private final @Nullable Set<String> members;
  private final ComputedProperties computed;
  private boolean isVerified;
  private int readsHere;
  private long entriesRead;
  private long itemsLoaded;
  private long bytesLoaded;
  private long candidates;
  private long rankedVectors;

  /**
   * Creates a reader.
   *
   * @param metadataParser the parser of the page with the collection's metadata record; returns
   *     null if the collection does not exist
   * @param isVerified true if the metadata is known to be current at the snapshot; else the first
   *     read checks it
   * @param members the names of the members of items to read, stored or computed; null for all
   */
  SnapshotReader(
      KvEngine engine,
      KvEngine.Snapshot snapshot,
      EntryKeysCache indexKeys,
      CollectionMetadata metadata,
      Function<RangePage, @Nullable CollectionMetadata> metadataParser,
      boolean isVerified,
      long nowSeconds,
      @Nullable Set<String> members) {
    this.engine = engine;
    this.snapshot = snapshot;
    this.indexKeys = indexKeys;
    this.metadata = metadata;
    this.metadataParser = metadataParser;
    this.isVerified = isVerified;
    this.nowSeconds = nowSeconds;
    this.computed = metadata.computed().among(members);
    Set<String> stored = computed.inputs(members);
    this.members = stored == null ? null : withTtl(stored);
  }

  /** Adds the member with the expiry of an item, if items of the collection expire. */
  private Set<String> withTtl(Set<String> names) {
    if (metadata.defaultTtl() == null || names.contains(StoredItem.TTL)) {
      return names;
    }
    Set<String> all = new HashSet<>(names);
    all.add(StoredItem.TTL);
    return all;
  }

  /** Confirms to a cache the metadata that was verified at this snapshot. */
  void confirm(CollectionMetadataCache known) {
    if (isVerified) {
      known.confirm(metadata, snapshot.versionstamp());
    }
  }

  CollectionMetadata metadata() {
    return metadata;
  }

  /** Returns the encoder of the keys of an index. */
  EntryKeys keysOf(IndexRef index) {
    return indexKeys.of(index);
  }

  CollectionKeys keys() {
    return metadata.keys();
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

  /** Returns the number of vectors that approximate searches found. */
  long candidates() {
    return candidates;
  }

  /** Returns the number of vectors whose exact score was computed. */
  long rankedVectors() {
    return rankedVectors;
  }

  void countCandidates(int found) {
    candidates += found;
  }

  void countRankedVector() {
    rankedVectors++;
  }

  void countEntries(int entries) {
    entriesRead += entries;
  }

  /**
   * Returns a page for each range, in order.
   *
   * @param stats the counts of the operator that reads
   * @throws StalePlanException with the first read
   */
  List<RangePage> read(OperatorStats stats, List<ReadRange> ranges) {
    return stats.read(read(ranges));
  }

  /**
   * Returns a page for each range, in order. For reads of several operators at once, which count
   * the pages themselves.
   *
   * @throws StalePlanException with the first read
   */
  List<RangePage> read(List<ReadRange> ranges) {
    return read(ranges, false);
  }

  /**
   * Returns a page for each range, in order.
   *
   * @param some true if the last ranges may be omitted when the first have many bytes
   */
  private List<RangePage> read(List<ReadRange> ranges, boolean some) {
    if (ranges.isEmpty()) {
      return List.of();
    }
    if (isVerified) {
      return readAll(ranges, some);
    }
    List<ReadRange> more = new ArrayList<>(ranges.size() + 1);
    more.add(ReadRange.point(metadata.recordKey()));
    more.addAll(ranges);
    return verified(readAll(more, some));
  }

  private List<RangePage> verified(List<RangePage> pages) {
    CollectionMetadata seen = metadataParser.apply(pages.get(0));
    if (seen == null || !seen.versionstamp().equals(metadata.versionstamp())) {
      throw new StalePlanException(seen);
    }
    isVerified = true;
    return pages.subList(1, pages.size());
  }

  private List<RangePage> readAll(List<ReadRange> ranges, boolean some) {
    ReadResult first = readOnce(ranges);
    if (some || first.pages().size() == ranges.size()) {
      return first.pages();
    }
    List<RangePage> pages = new ArrayList<>(first.pages());
    while (pages.size() < ranges.size()) {
      pages.addAll(readOnce(ranges.subList(pages.size(), ranges.size())).pages());
    }
    return pages;
  }

  private ReadResult readOnce(List<ReadRange> ranges) {
    ReadResult here = readsHere++ < MAX_HERE ? engine.readHere(ranges, snapshot, READ_BYTES) : null;
    return here == null ? WorkerThread.await(engine.read(ranges, snapshot, READ_BYTES)) : here;
  }

  /**
   * Loaded items.
   *
   * @param items the items that exist and have not expired, in order
   * @param lookedUp the number of candidates looked up
   */
  record Loaded(List<Candidate> items, int lookedUp) {}

  /**
   * Returns the items of the first candidates, as many as one read returns. Items with successive
   * document ids are read as one range, which costs less than one lookup for each.
   *
   * @param stats the counts of the operator that loads
   */
  Loaded loadSome(OperatorStats stats, List<Candidate> candidates) {
    List<ReadRange> ranges = new ArrayList<>();
    int[] runs = new int[candidates.size()]; // number of candidates of each range
    long first = 0; // of a run of missing items with successive document ids
    int run = 0;
    for (Candidate candidate : candidates) {
      if (candidate.isReady()) {
        continue;
      }
      if (run > 0 && candidate.docId() != first + run) {
        addRun(ranges, runs, first, run);
        run = 0;
      }
      first = run == 0 ? candidate.docId() : first;
      run++;
    }
    addRun(ranges, runs, first, run);
    return ranges.isEmpty()
        ? new Loaded(candidates, candidates.size())
        : loaded(candidates, runs, stats.read(read(ranges, true)));
  }

  private void addRun(List<ReadRange> ranges, int[] runs, long first, int count) {
    if (count >= MIN_RUN) {
      runs[ranges.size()] = count;
      ranges.add(keys().items(first, first + count - 1));
      return;
    }
    for (int i = 0; i < count; i++) {
      runs[ranges.size()] = 1;
      ranges.add(ReadRange.point(keys().item(first + i)));
    }
  }

  private Loaded loaded(List<Candidate> candidates, int[] runs, List<RangePage> pages) {
    List<Candidate> loaded = new ArrayList<>(candidates.size());
    int lookedUp = 0;
    int run = -1; // the range of the candidate
    int left = 0; // further candidates of that range
    int at = 0; // entries of that range that belong to earlier candidates
    for (Candidate candidate : candidates) {
      if (candidate.isReady()) {
        loaded.add(candidate);
        lookedUp++;
        continue;
      }
      if (left == 0) {
        if (++run == pages.size()) {
          break;
        }
        left = runs[run];
        at = 0;
      }
      left--;
      List<StoredEntry> entries = pages.get(run).entries();
      if (at < entries.size() && isOf(entries.get(at), candidate, runs[run])) {
        StoredItem item = item(entries.get(at++));
        if (isAlive(item)) {
          loaded.add(candidate.with(item));
        }
      } else if (at == entries.size() && !pages.get(run).isLast()) {
        break; // the page ended before this item
      }
      lookedUp++;
    }
    return new Loaded(loaded, lookedUp);
  }

  private boolean isOf(StoredEntry entry, Candidate candidate, int run) {
    return run == 1 || keys().docIdOfItem(entry.key()) == candidate.docId();
  }

  /** Returns the item and counts it as loaded. */
  StoredItem item(StoredEntry entry) {
    StoredItem item =
        StoredItem.decode(entry).only(members).sharing(metadata.memberNames()).computing(computed);
    itemsLoaded++;
    bytesLoaded += item.size();
    return item;
  }

  boolean isAlive(StoredItem item) {
    return !item.expired(metadata.defaultTtl(), nowSeconds);
  }

  /**
   * Returns true if no stored item has expired, so that all entries belong to live items.
   *
   * @param stats the counts of this check
   */
  boolean hasNoExpiredItems(OperatorStats stats) {
    return metadata.expiryKnown()
        && read(stats, metadata.due(nowSeconds, 1)).stream()
            .allMatch(page -> page.entries().isEmpty());
  }
}
