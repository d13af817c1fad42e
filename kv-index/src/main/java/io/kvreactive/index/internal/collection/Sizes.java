package io.kvreactive.index.internal.collection;

import io.kvreactive.index.CollectionSizes;
import io.kvreactive.index.CollectionSizes.IndexSize;
import io.kvreactive.index.internal.layout.ItemEntries;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionRecord;
import io.kvreactive.index.internal.store.CollectionView;
import io.kvreactive.index.internal.store.IndexAvailability;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import reactor.core.publisher.Mono;

/**
 * Counts what a collection takes, by reading all of it at one version: counters that writes keep
 * would make every write dearer.
 */
public final class Sizes {
  private static final int PAGE = 1000;
  private static final int RANGE_PREFIX = 9;
  private static final int NUMBER_PREFIX = 5;

  private final KvEngine engine;
  private final String root;
  private final Views views;

  public Sizes(KvEngine engine, String root, Views views) {
    this.engine = engine;
    this.root = root;
    this.views = views;
  }

  public Mono<CollectionSizes> count() {
    return views
        .refresh()
        .flatMap(
            view ->
                Mono.usingWhen(
                    engine.snapshot(),
                    snapshot -> new Count(view, snapshot).run(),
                    snapshot -> Mono.fromRunnable(snapshot::close)));
  }

  private static final class Sum {
    long entries;
    long bytes;

    void add(StoredEntry entry) {
      entries++;
      bytes += entry.key().length + (entry.value() == null ? 0 : entry.value().bytes().length);
    }
  }

  private final class Count {
    private final CollectionView view;
    private final KvEngine.Snapshot snapshot;
    private final Map<ByteBuffer, Sum> byPrefix = new HashMap<>();
    private final Map<ByteBuffer, String> paths = new HashMap<>();
    private final Sum items = new Sum();
    private final Sum ids = new Sum();
    private final Sum uniques = new Sum();
    private final Sum expiries = new Sum();
    private final Sum pending = new Sum();
    private final Sum dropped = new Sum();
    private long unnamed;

    Count(CollectionView view, KvEngine.Snapshot snapshot) {
      this.view = view;
      this.snapshot = snapshot;
    }

    Mono<CollectionSizes> run() {
      CollectionKeys keys = view.keys();
      Mono<Void> whole =
          each(keys.entriesStart(), keys.entriesEnd(), this::entry)
              .then(each(keys.itemsStart(), keys.itemsEnd(), this::item))
              .then(each(keys.idsStart(), keys.idsEnd(), ids::add))
              .then(each(keys.uniquesStart(), keys.uniquesEnd(), uniques::add))
              .then(each(keys.expiriesStart(), keys.expiriesEnd(), expiries::add))
              .then(each(keys.pendingStart(), keys.pendingEnd(), pending::add));
      for (CollectionRecord.Drop drop : view.record().drops()) {
        CollectionKeys old =
            new CollectionKeys(root, view.record().id(), drop.number(), drop.number());
        switch (drop.space()) {
          case ENTRIES ->
              whole =
                  whole.then(each(old.entriesStart(), old.entriesAndPendingEnd(), dropped::add));
          case EXPIRIES ->
              whole = whole.then(each(old.expiriesStart(), old.expiriesEnd(), dropped::add));
          case NUMBER -> {} // among the entries
        }
      }
      return whole.then(Mono.fromSupplier(this::sizes));
    }

    private Mono<Void> each(
        byte[] start, byte[] end, java.util.function.Consumer<StoredEntry> what) {
      return Scan.pages(engine, snapshot, new ReadRange(start, end, PAGE, false, false))
          .doOnNext(page -> page.entries().forEach(what))
          .then();
    }

    private void entry(StoredEntry entry) {
      byte[] raw = view.keys().rawEntry(entry.key());
      int length = Math.min(raw.length, raw[0] == 'R' ? RANGE_PREFIX : NUMBER_PREFIX);
      ByteBuffer prefix = ByteBuffer.wrap(Arrays.copyOf(raw, length));
      Sum sum = byPrefix.get(prefix);
      if (sum == null) {
        sum = new Sum();
        byPrefix.put(prefix, sum);
        unnamed += raw[0] == 'R' ? 1 : 0;
      }
      sum.add(entry);
    }

    /** Keys of range entries tell a hash of their path; an item that has them tells the path. */
    private void item(StoredEntry entry) {
      items.add(entry);
      if (unnamed == 0) {
        return;
      }
      StoredItem item = ItemReader.item(entry);
      if (!item.indexed()) {
        return;
      }
      long docId = view.keys().docIdOfItem(entry.key());
      ItemEntries.of(view.writeLayout(), item.indexable(), docId)
          .paths()
          .forEach(
              (text, prefix) -> {
                ByteBuffer known = ByteBuffer.wrap(prefix);
                if (byPrefix.containsKey(known) && paths.putIfAbsent(known, text) == null) {
                  unnamed--;
                }
              });
    }

    private CollectionSizes sizes() {
      Map<String, Sum> named = new TreeMap<>();
      Sum reclaimable = dropped;
      byPrefix.forEach(
          (prefix, sum) -> {
            String name = name(prefix);
            if (name.isEmpty()) {
              reclaimable.entries += sum.entries;
              reclaimable.bytes += sum.bytes;
            } else {
              named.put(name, sum);
            }
          });
      if (!view.writeLayout().uniqueKeys().isEmpty()) {
        named.put("unique", uniques);
      }
      if (view.mayLag()) {
        named.put(CollectionRecord.PENDING, pending);
      }
      if (view.defaultTtl() != null) {
        named.put(CollectionRecord.TTL, expiries);
      }
      List<IndexSize> indexes = new ArrayList<>();
      long indexBytes = 0;
      for (Map.Entry<String, Sum> index : named.entrySet()) {
        Sum sum = index.getValue();
        indexes.add(new IndexSize(index.getKey(), sum.entries, sum.bytes));
        indexBytes += sum.bytes;
      }
      return new CollectionSizes(
          items.entries, items.bytes + ids.bytes, indexBytes, reclaimable.bytes, indexes);
    }

    /** Empty for what is being removed. */
    private String name(ByteBuffer prefix) {
      if (prefix.get(0) == 'R') {
        String path = paths.get(prefix);
        return path == null ? "" : "range:" + path + "/?";
      }
      int number = prefix.getInt(1) ^ Integer.MIN_VALUE;
      String name =
          prefix.get(0) == 'C'
              ? IndexAvailability.composite(number)
              : IndexAvailability.tuple(number);
      boolean kept = Objects.requireNonNull(view.record().numbers()).containsValue(number);
      return kept ? name : "";
    }
  }
}
